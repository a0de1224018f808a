import { readFileSync } from 'node:fs'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

/** What publint (strict) and Are The Types Wrong (for packages of ES modules only) find in a tarball; empty when it is fine. */
export async function packageFaults(tarball: string): Promise<readonly string[]> {
  const bytes = new Uint8Array(readFileSync(tarball))
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true })
  const lint = messages.map((message) => formatMessage(message, pkg) ?? message.code)
  // Loaded here: under Vitest its name means its sources, which Node does not load from `node_modules`.
  const { checkPackage, createPackageFromTarballData } = await import('@arethetypeswrong/core')
  const analysis = await checkPackage(createPackageFromTarballData(bytes))
  if (analysis.types === false) return [...lint, 'The package has no types.']
  const wrong = analysis.problems
    // CommonJS gets the ES module by `require`; resolution before `exports` is too old for subpaths.
    .filter(({ kind }) => kind !== 'CJSResolvesToESM')
    .filter((problem) => !('resolutionKind' in problem && problem.resolutionKind === 'node10'))
  return [...lint, ...wrong.map((problem) => JSON.stringify(problem))]
}
