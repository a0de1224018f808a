import { expect, test } from 'vitest'
import { topicPages } from '../../scripts/docs/reference-topics.ts'

test('every field of configurations, results, entries and events has a meaning in the reference', () => {
  const pages = topicPages().filter(({ slug }) => /\/(?:configuration|results|journal-entries)$/.test(slug))
  expect(pages).toHaveLength(3)
  const rows = pages.flatMap(({ body }) => body.match(/^\| `.*\|$/gm) ?? [])
  expect(rows.length).toBeGreaterThan(500)
  expect(rows.filter((row) => /\|\s*\|$/.test(row))).toEqual([])
})
