/** Words that say nothing about what a file holds, so that anything ends up in it. */
const emptyWords = /^(utils?|helpers?|managers?|handlers?|commons?|misc)$/

/** Frameworks name the variable part of a route in brackets. */
const kebab = /^(?:\.?[a-z0-9]+([.-][a-z0-9]+)*|\[(?:\.\.\.)?[a-z]+\])$/

/** Words in -ing that are nouns, or adjectives of one: what a file is called after, not an activity. */
const nounsInIng = new Set(['embedding', 'fstring', 'lowering', 'pending', 'ring', 'standing', 'string', 'testing'])

/** File and folder names: kebab-case, none of the empty words, and in the sources no activities (`reading.ts`) but things. */
export function checkNames(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const parts = path.split('/')
    const empty = parts.flatMap((part) => part.split(/[.-]/)).find((word) => emptyWords.test(word.toLowerCase()))
    if (empty !== undefined) return [`${path}: "${empty}" does not say what is inside`]
    const activity =
      path.startsWith('src/') && !/\.test\.|\/fixtures\//.test(path)
        ? parts.flatMap((part) => part.split(/[.-]/)).find((word) => word.endsWith('ing') && !nounsInIng.has(word))
        : undefined
    if (activity !== undefined) return [`${path}: "${activity}" is an activity; name the thing that the file holds`]
    return parts.every((part) => kebab.test(part)) ? [] : [`${path}: names are kebab-case`]
  })
}
