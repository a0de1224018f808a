/** JSON that was typed, or what is wrong with it. */
export function typedJson(text: string): { readonly value?: unknown; readonly problem?: string } {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { problem: `Not JSON: ${(error as Error).message}` }
  }
}
