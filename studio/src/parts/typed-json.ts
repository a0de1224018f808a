/** Parses typed JSON, or returns the problem. */
export function typedJson(text: string): { readonly value?: unknown; readonly problem?: string } {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { problem: `Not JSON: ${(error as Error).message}` }
  }
}
