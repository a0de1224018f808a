/** The JSON pointer (RFC 6901) of a member of the value at `pointer`. */
export function memberPointer(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** The member name in a step of a JSON pointer. */
export function pointerName(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}
