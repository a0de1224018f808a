/** Words that say nothing about what a file holds, so that anything ends up in it. */
const emptyWords = /^(utils?|helpers?|managers?|handlers?|commons?|misc)$/

const kebab = /^\.?[a-z0-9]+([.-][a-z0-9]+)*$/

/** File and folder names: kebab-case, and none of the empty words. */
export function checkNames(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const parts = path.split('/')
    const empty = parts.flatMap((part) => part.split(/[.-]/)).find((word) => emptyWords.test(word.toLowerCase()))
    if (empty !== undefined) return [`${path}: "${empty}" does not say what is inside`]
    return parts.every((part) => kebab.test(part)) ? [] : [`${path}: names are kebab-case`]
  })
}
