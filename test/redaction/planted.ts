/** Made at run time, so that no scanner of repositories trips over them. */
function fake(prefix: string, length: number): string {
  let text = prefix
  for (let i = 0; text.length < prefix.length + length; i++)
    text += ((i * 7919 + 104_729) % 1_679_616).toString(36).padStart(4, '0')
  return text.slice(0, prefix.length + length)
}

/** Told by its looks. */
export const FORMATTED: string = fake(['sk', 'ant', 'api03', ''].join('-'), 80)
/** Looks like nothing; known because it was resolved. */
export const RESOLVED: string = fake('correct.horse.', 24)
export const PLANTED: readonly string[] = [FORMATTED, RESOLVED]
