import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SHORTCUTS, keysOf, keysText } from '../../studio/src/keys/shortcuts.ts'
import { PAGES } from '../../studio/src/shell/pages.ts'

const ROOT = join(import.meta.dirname, '../..')
const ALL = Object.values(SHORTCUTS)

/** What stands between the parentheses of each call of `useShortcuts` in a source. */
function* handledIn(source: string): Generator<string> {
  for (let at = source.indexOf('useShortcuts('); at >= 0; at = source.indexOf('useShortcuts(', at + 1)) {
    let depth = 0
    for (let end = at + 'useShortcuts'.length; end < source.length; end++) {
      if (source[end] === '(') depth += 1
      else if (source[end] === ')') depth -= 1
      if (depth > 0) continue
      yield source.slice(at, end)
      break
    }
  }
}

describe('the keys of the studio', () => {
  it('are each one shortcut, and none of them alone is the beginning of another', () => {
    const keys = ALL.map((shortcut) => shortcut.keys)
    expect(keys.filter((each, index) => keys.indexOf(each) !== index)).toEqual([])
    const beginnings = new Set(keys.filter((each) => /^\S+ \S+$/.test(each)).map((each) => each.split(' ')[0]!))
    expect([...beginnings]).toEqual(['g'])
    expect(keys.filter((each) => beginnings.has(each))).toEqual([])
  })

  it('mean only the pair where two of them are one shortcut', () => {
    expect(keysOf('g', 'a')).toBe('g a')
    expect(keysOf('g', 'd')).toBe('g d')
    expect(keysOf('g', 'y')).toBe('y')
    expect(keysOf('', 'a')).toBe('a')
    expect(keysOf('', '7')).toBe('0-9')
  })

  it('are each done by some part of the page', () => {
    const sources = globSync('studio/src/**/*.{ts,tsx}', { cwd: ROOT }).filter((path) => !path.endsWith('shortcuts.ts'))
    const handled = sources.flatMap((path) => [...handledIn(readFileSync(join(ROOT, path), 'utf8'))]).join('\n')
    const pages = new Set<string>(PAGES.map(({ id }) => id))
    const dead = Object.keys(SHORTCUTS).filter(
      (name) => !pages.has(name) && !new RegExp(`\\b${name}(?::|,| \\})`).test(handled),
    )
    expect(dead).toEqual([])
  })

  it('stand in the document as they are', () => {
    const text = readFileSync(join(ROOT, 'docs/studio.md'), 'utf8')
    const rows = [...text.slice(text.indexOf('## Keys')).matchAll(/^\| `([^`]+)` \| (.+) \| (\w+) \|$/gm)]
    expect(rows.map(([, keys, does, where]) => ({ keys, does, where }))).toEqual(
      ALL.map(({ keys, does, where }) => ({ keys: keysText(keys), does, where })),
    )
  })
})
