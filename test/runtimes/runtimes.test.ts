import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { coreSmoke } from './core-smoke.ts'
import { VERSIONS } from './installed.ts'
import { serverSmoke } from './server-smoke.ts'
import { TESTED } from './table.ts'

test('what is tried on every platform works here', async () => {
  expect((await coreSmoke()).failures).toEqual([])
  expect(await serverSmoke()).toBe('the server handler')
})

test('the programs for other platforms use nothing of Node', () => {
  for (const file of ['core-smoke.ts', 'server-smoke.ts'])
    expect(readFileSync(join(import.meta.dirname, file), 'utf8')).not.toMatch(/from 'node:|\bprocess\.|\bBuffer\./)
})

test('the document names the versions that are tried', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/platforms.md'), 'utf8')
  for (const spec of Object.values(VERSIONS)) expect(page).toContain(spec.slice(spec.lastIndexOf('@') + 1))
})

test('the document shows the route and the page that are built', () => {
  const root = join(import.meta.dirname, '../..')
  const page = readFileSync(join(root, 'docs/streams.md'), 'utf8')
  for (const file of ['app/api/chat/[...path]/route.ts', 'app/page.tsx'])
    expect(page).toContain(`\n${readFileSync(join(root, 'examples/next-chat', file), 'utf8')}\`\`\``)
})

test('every test beside the code is in a group that other Nodes run', () => {
  const src = join(import.meta.dirname, '../../src')
  const tests = globSync('**/*.test.ts', { cwd: src })
  expect(tests.length).toBeGreaterThan(200)
  expect(tests.filter((file) => !TESTED.flat().some((place) => file.startsWith(place)))).toEqual([])
})
