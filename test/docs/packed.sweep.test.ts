import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../tidy/sources.ts'

test('the package brings every page that its README links to, and no pictures', () => {
  const ran = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' })
  const [packed] = JSON.parse(ran.stdout) as [{ readonly files: readonly { readonly path: string }[] }]
  const paths = packed.files.map(({ path }) => path)
  const links = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/\]\((docs\/[^)#]+\.md)/g)].map(
    ([, link]) => link!,
  )
  expect(links.length).toBeGreaterThan(30)
  expect(links.filter((link) => !paths.includes(link))).toEqual([])
  expect(paths.filter((path) => /\.(?:png|webp)$/.test(path))).toEqual([])
})
