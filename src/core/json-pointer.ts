/** The JSON pointer (RFC 6901) of a member of what `pointer` points to. */
export function memberPointer(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** The member name that a step of a JSON pointer stands for. */
export function pointerName(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}
