import { expect, test } from 'vitest'
import { toolRegistry } from './registry.ts'

const tool = (name: string, description = name): object => ({ name, description, run: () => name })

test('a second tool of one name is refused, unless it is meant to replace the first', () => {
  const registry = toolRegistry()
  registry.register(tool('a', 'first'))
  expect(() => registry.register(tool('a', 'second'))).toThrow(expect.objectContaining({ code: 'DUPLICATE' }))
  expect(registry.get('a')?.description).toBe('first')
  registry.register(tool('a', 'second'), { override: true })
  expect(registry.get('a')?.description).toBe('second')
  expect(registry.list()).toHaveLength(1)
})

test('packs resolve by name, each tool once; an unknown pack is an error that lists the known ones', () => {
  const registry = toolRegistry()
  const [shared] = registry.registerPack('files', [tool('read'), tool('list')])
  registry.registerPack('more', [shared!, tool('edit')])
  expect(registry.resolvePacks(['files', 'more', 'files']).map((one) => one.name)).toEqual(['read', 'list', 'edit'])
  expect(() => registry.resolvePacks(['file'])).toThrow(/There is no tool pack "file". Known packs: files, more/)
  expect(registry.listPackNames()).toEqual(['files', 'more'])
})

test('packs may hold different tools of one name until someone asks for both', () => {
  const registry = toolRegistry()
  registry.registerPack('local', [tool('read', 'local')])
  registry.registerPack('remote', [tool('read', 'remote')])
  expect(registry.resolvePacks(['remote'])[0]?.description).toBe('remote')
  expect(() => registry.resolvePacks(['local', 'remote'])).toThrow(expect.objectContaining({ code: 'DUPLICATE' }))
  expect(registry.get('read')?.description).toBe('local')
  expect(registry.list()).toHaveLength(1)
})

test('a pack of a known name and a pack without a name are refused', () => {
  const registry = toolRegistry()
  registry.registerPack('p', [])
  expect(() => registry.registerPack('p', [tool('a')])).toThrow(/pack "p" already/)
  expect(registry.registerPack('p', { a: { execute: () => 1 } }, { override: true })).toHaveLength(1)
  expect(() => registry.registerPack(' ', [])).toThrow(/needs a name/)
})

test('a single tool is found before one of a pack, and an unknown name is not found', () => {
  const registry = toolRegistry()
  registry.registerPack('p', [tool('a', 'from the pack')])
  expect(registry.has('a')).toBe(true)
  registry.register(tool('a', 'single'))
  expect(registry.get('a')?.description).toBe('single')
  expect(registry.get('b')).toBeUndefined()
  expect(registry.has('b')).toBe(false)
})
