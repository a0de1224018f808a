import { Compiler } from './compiler.ts'
import { PatternParser } from './pattern-parser.ts'
import { Search } from './search.ts'

/**
 * Compiles a pattern for the host's own use: whether a text holds a match, in time linear in the text. Throws a `PatternProblem`
 * where the pattern is invalid or needs more than linear time (back-references).
 */
export function testsOf(source: string, flags: string): (text: string) => boolean {
  const search = new Search(new Compiler(new PatternParser(source, flags).parse(), flags).compile())
  return (text) => search.first(text, 0, false, { spend: () => {}, hold: () => {} }) !== null
}
