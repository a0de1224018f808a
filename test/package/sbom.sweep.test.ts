import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

test('the bill of materials names what is installed along and what is built in, and nothing that only development needs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-sbom-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'sbom.json')
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/sbom.ts'), file], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(status, stderr).toBe(0)
  const bom = JSON.parse(readFileSync(file, 'utf8')) as {
    bomFormat: string
    metadata: { component: { name: string; purl: string } }
    components: { name: string; purl: string; hashes: object[]; properties: { name: string }[] }[]
  }
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: object }
  expect([bom.bomFormat, bom.metadata.component.name]).toEqual(['CycloneDX', 'mandate'])
  const names = bom.components.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining([...Object.keys(dependencies), 'react', 'react-dom', 'mustache']))
  expect(new Set(names).size).toBe(names.length)
  for (const name of ['vitest', 'typescript', 'ai', 'express', 'pg']) expect(names).not.toContain(name)
  for (const { name, purl, hashes } of bom.components)
    expect([name, purl.startsWith('pkg:npm/'), hashes?.length]).toEqual([name, true, 1])
})
