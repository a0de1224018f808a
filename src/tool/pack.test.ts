import { expect, test } from 'vitest'
import { definePack } from './pack.ts'
import type { PackDefinition } from './pack.ts'
import { toolRegistry } from './registry.ts'
import type { Risk } from './tool.ts'

const tool = (name: string, facts: object = {}): object => ({ name, risk: 'read' as Risk, run: () => name, ...facts })
const pack = (more: Partial<PackDefinition> = {}): PackDefinition => ({
  name: 'files',
  version: '1.2.0',
  tools: [tool('read_file'), tool('edit_file', { risk: 'write', safeByDefault: false })],
  ...more,
})

test('a manifest says which tools there are, what must be granted and how risky it gets', () => {
  expect(definePack(pack({ description: 'Files.' })).manifest).toEqual({
    name: 'files',
    version: '1.2.0',
    description: 'Files.',
    tools: ['read_file', 'edit_file'],
    permissions: ['edit_file'],
    risk: 'write',
  })
  expect(definePack(pack({ tools: [] })).manifest.risk).toBe('read')
})

test('a tool that does not say its risk makes the pack one that executes', () => {
  expect(definePack(pack({ tools: [{ name: 'x', run: () => 1 }] })).manifest.risk).toBe('exec')
})

test.each<[string, Partial<PackDefinition>, RegExp]>([
  [
    'names a tool that is not there',
    { manifest: { tools: ['read_file', 'edit_fil'] } },
    /"edit_fil".*it has "edit_file"/,
  ],
  ['leaves a tool out', { manifest: { tools: ['read_file'] } }, /"edit_file", which its manifest does not name/],
  ['hides what must be granted', { manifest: { permissions: [] } }, /name it under `permissions`/],
  ['plays its risk down', { manifest: { risk: 'read' } }, /"read", but one of its tools is of risk "write"/],
  ['has a risk that is none', { manifest: { risk: 'none' as never } }, /Use one of: read, write/],
  ['has no version', { version: 'new' }, /`version`/],
  ['has no name', { name: ' ' }, /`name`/],
])('a manifest that %s is refused', (_, more, words) => {
  expect(() => definePack(pack(more))).toThrow(words)
})

test('a manifest may ask for more than is needed', () => {
  const { manifest } = definePack(pack({ manifest: { risk: 'destructive', permissions: ['edit_file', 'read_file'] } }))
  expect(manifest).toMatchObject({ risk: 'destructive', permissions: ['edit_file', 'read_file'] })
})

test('a registry keeps packs with their manifests, under the names these have', () => {
  const registry = toolRegistry()
  registry.registerPack(definePack(pack()))
  registry.registerPack('plain', [tool('look')])
  expect(registry.listPackNames()).toEqual(['files', 'plain'])
  expect(registry.manifest('files')).toMatchObject({ version: '1.2.0' })
  expect(registry.manifest('plain')).toBeUndefined()
  expect(registry.resolvePacks(['files']).map(({ name }) => name)).toEqual(['read_file', 'edit_file'])
  expect(() => registry.registerPack(definePack(pack()))).toThrow(/already/)
  registry.registerPack(definePack(pack({ version: '2.0.0' })), { override: true })
  expect(registry.manifest('files')).toMatchObject({ version: '2.0.0' })
  registry.registerPack('files', [tool('other')], { override: true })
  expect(registry.manifest('files')).toBeUndefined()
})
