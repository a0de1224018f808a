import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { announceSkip } from '../rotation.ts'
import { root } from '../tidy/sources.ts'

interface Named {
  readonly page: string
  readonly specifier: string
  readonly names: readonly string[]
}

/** What the examples of other libraries import: they are shown as their users write them, and cannot be run without those libraries. */
function importsOfOthers(): readonly Named[] {
  const pages = ['docs/migrating-from-langgraph.md', ...globSync('docs/migrating/*.md', { cwd: root })]
  return pages.flatMap((page) => {
    const blocks = readFileSync(join(root, page), 'utf8').matchAll(/^```(?:js|ts)[^\n]*\n([\s\S]*?)^```/gm)
    return [...blocks].flatMap(([, code]) =>
      [...code!.matchAll(/^import (?:type )?\{([^}]*)\} from '([^']+)'/gm)].map(([, names, specifier]) => ({
        page,
        specifier: specifier!,
        names: names!
          .split(',')
          .map((name) => name.trim().split(' as ')[0]!)
          .filter((name) => name !== '' && !name.startsWith('type ')),
      })),
    )
  })
}

test('guides for moving name nothing of other libraries that their versions here do not have', async () => {
  const wrong: string[] = []
  const looked = new Set<string>()
  const absent = new Set<string>()
  for (const { page, specifier, names } of importsOfOthers()) {
    if (/^(?:mandate|\.|node:)/.test(specifier)) continue
    const found = (await import(specifier).catch(() => undefined)) as object | undefined
    if (found === undefined) absent.add(specifier)
    else {
      looked.add(specifier)
      wrong.push(...names.filter((name) => !(name in found)).map((name) => `${page}: ${specifier} has no ${name}`))
    }
  }
  if (absent.size > 0) announceSkip(`names of ${[...absent].join(', ')} in the guides`, 'npm install them')
  expect(wrong).toEqual([])
  expect([...looked]).toEqual(expect.arrayContaining(['ai', '@mastra/core/agent']))
})
