import { Compiler } from './compiler.ts'
import { PatternParser } from './pattern-parser.ts'
import { Search } from './search.ts'

/**
 * Compiles a pattern to a function that reports whether a text contains a match, in linear time. For the host's own patterns. Throws a `PatternProblem` if
 * the pattern is invalid or needs more than linear time (back-references).
 */
export function testsOf(source: string, flags: string): (text: string) => boolean {
  const search = new Search(new Compiler(new PatternParser(source, flags).parse(), flags).compile())
  return (text) => search.first(text, 0, false, { spend: () => {}, hold: () => {} }) !== null
}
