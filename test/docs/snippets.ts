import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSubpaths } from '../tidy/api.ts'
import { declarationsFolder } from '../tidy/declarations.ts'
import { root } from '../tidy/sources.ts'

/** A piece of TypeScript that a reader may copy. */
export interface Snippet {
  readonly path: string
  /** The line of its first line of code. */
  readonly line: number
  readonly code: string
  /** The name under which its reader saves it: other snippets of the page may import it. */
  readonly title?: string
  /** It is marked with `ts run`: a test runs it and compares what it prints with its comments. */
  readonly runs?: true
}

/** Every `ts` fence of a Markdown text. */
export function snippetsInMarkdown(path: string, text: string): Snippet[] {
  return fencesIn(text.split('\n')).map((fence) => ({ path, ...fence }))
}

/** Every `@example` of the doc comments of a source file, and those that hold no fence and so cannot be checked. */
export function snippetsInSource(path: string, text: string): { snippets: Snippet[]; unfenced: string[] } {
  const lines = text.split('\n')
  // Only comment lines are kept, so a fence inside a template string is not taken for an example; places stay the same.
  const comments = lines.map((line) => /^\s*(?:\/\*\*|\*(?!\/)) ?(.*?)(?:\*\/)?$/.exec(line)?.[1] ?? '')
  const snippets = fencesIn(comments).map((fence) => ({ path, ...fence }))
  const unfenced = lines.flatMap((line, index) => {
    const isExample = /^\s*(?:\/\*\*|\*) ?@example\b/.test(line)
    const isFenced = snippets.some((snippet) => snippet.line > index + 1 && snippet.line <= index + 4)
    return isExample && !isFenced ? [`${path}:${index + 1}: this @example has no \`\`\`ts fence`] : []
  })
  return { snippets, unfenced }
}

function fencesIn(lines: readonly string[]): Omit<Snippet, 'path'>[] {
  const found: Omit<Snippet, 'path'>[] = []
  let open:
    | { mark: string; isTs: boolean; runs: boolean; title: string | undefined; indent: string; line: number }
    | undefined
  for (const [index, line] of lines.entries()) {
    const fence = /^(\s*)(`{3,}|~{3,})\s*([\w-]*)/.exec(line)
    if (open === undefined) {
      if (fence === null) continue
      const isTs = /^(ts|typescript)$/.test(fence[3]!)
      const runs = /^\s*`+ts run\b/.test(line)
      const title = /\btitle="([^"]+)"/.exec(line)?.[1]
      open = { mark: fence[2]!, isTs, runs, title, indent: fence[1]!, line: index + 2 }
    } else if (fence !== null && fence[3] === '' && fence[2]!.startsWith(open.mark)) {
      const code = lines.slice(open.line - 1, index).map((text) => text.replace(open!.indent, ''))
      const marks = {
        ...(open.runs ? { runs: true as const } : {}),
        ...(open.title === undefined ? {} : { title: open.title }),
      }
      if (open.isTs) found.push({ line: open.line, code: code.join('\n'), ...marks })
      open = undefined
    }
  }
  return found
}

/** Type-checks all snippets in one run of the compiler and tells each error at its place in the document. The folder
 *  lies inside the repository but outside `node_modules`, because only there `mandate` means this package. */
export function checkSnippets(snippets: readonly Snippet[], folder: string = join(root, '.cache/docs')): string[] {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [index, snippet] of snippets.entries()) {
    // Pushed down to the line it has in its document, so that the compiler's line numbers are those of the document.
    const code = `${'\n'.repeat(snippet.line - 1)}${namedImports(snippet, snippets)}\nexport {}\n`
    writeFileSync(join(folder, `snippet-${index}.ts`), code)
  }
  const options = { declaration: false, isolatedDeclarations: false, noUnusedLocals: false, paths: declaredSubpaths() }
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions: options, include: ['snippet-*.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const ran = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { cwd: folder, encoding: 'utf8' })
  const found = ran.stdout.split('\n').flatMap((line) => placeInDocument(line, snippets))
  // Errors in the sources are the type check's; a compiler that failed without any located error must not pass for a success.
  if (ran.status !== 0 && !/error TS\d+/.test(ran.stdout))
    throw new Error(`tsc did not run: ${ran.stderr}${ran.stdout}`)
  return found
}

/** The code of a snippet, whose imports of other snippets of its page lead to the files that these are written to. */
function namedImports(snippet: Snippet, snippets: readonly Snippet[]): string {
  return snippet.code.replace(/from '\.\/([^']+)'/g, (found, title: string) => {
    const index = snippets.findIndex((other) => other.path === snippet.path && other.title === title)
    return index < 0 ? found : `from './snippet-${index}.ts'`
  })
}

/** The package by its declarations, which say the same as its sources: these would be checked once more, and take most of the time. */
function declaredSubpaths(): Record<string, string[]> {
  return Object.fromEntries(
    [...readSubpaths()].map(([subpath, source]) => [
      subpath.replace('.', 'mandate'),
      [join(declarationsFolder(), source.replace(/\.ts$/, '.d.ts'))],
    ]),
  )
}

function placeInDocument(line: string, snippets: readonly Snippet[]): string[] {
  const match = /^snippet-(\d+)\.ts\((\d+),\d+\): (.*)$/.exec(line)
  const snippet = snippets[Number(match?.[1])]
  return match === null || snippet === undefined ? [] : [`${snippet.path}:${match[2]}: ${match[3]}`]
}
