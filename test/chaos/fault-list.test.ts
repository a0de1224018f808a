import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('every fault of the list in the documents has a scenario of the suite or a test, and no scenario is left out', () => {
  const rows = read('docs/scale.md')
    .split('\n')
    .flatMap((line) => /^\| (D\d+) \| .+ \| (.+) \|$/u.exec(line)?.slice(1) ?? [])
  const [names, tests] = [0, 1].map((column) => rows.filter((_, index) => index % 2 === column))
  expect(names).toEqual(Array.from({ length: 14 }, (_, index) => `D${index + 1}`))
  const suite = read('test/chaos/suite.chaos.ts')
  const scenarios = tests!.flatMap((text) => [...text.matchAll(/\*([^*]+)\*/gu)].map(([, name]) => name!))
  const files = tests!.flatMap((text) => [...text.matchAll(/`([^`]+)`/gu)].map(([, path]) => path!))
  for (const text of tests!) expect(text).toMatch(/\*|`/u)
  expect(scenarios.filter((name) => !suite.includes(name))).toEqual([])
  expect(files.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([])
  const all = [...suite.matchAll(/name: '([^']+)'/gu)].map(([, name]) => name!)
  const unlisted = all.filter((name) => !scenarios.some((listed) => name.startsWith(listed)))
  expect(unlisted).toEqual(['everything at once'])
})
