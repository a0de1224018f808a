import { expect, test } from 'vitest'
import { loadPackage, providePackages } from './optional-package.ts'
import { startedFile } from './started-file.ts'

test('a package that a bundle brings along is taken before an installed one', async () => {
  const brought = { Liquid: 'brought' }
  expect(await loadPackage('liquidjs', 'A test')).toHaveProperty('Tokenizer')
  providePackages({ liquidjs: async () => brought })
  expect(await loadPackage('liquidjs', 'A test')).toBe(brought)
  providePackages({ liquidjs: () => import('liquidjs') })
})

test('only optional packages can be brought along, and a misspelt one is told', () => {
  expect(() => providePackages({ undicci: () => import('undici') } as never)).toThrow('Did you mean `undici`?')
})

test.each([
  [Object.assign(new Error("Cannot find package 'undici' imported from /a.js"), { code: 'ERR_MODULE_NOT_FOUND' })],
  [Object.assign(new Error("Cannot find module 'undici'"), { code: 'MODULE_NOT_FOUND' })],
  [new Error('No such module "undici".')],
])('what is not installed is told with the command that installs it: %s', async (error) => {
  providePackages({
    undici: async () => {
      throw error
    },
  })
  await expect(loadPackage('undici', 'A test')).rejects.toThrow(
    'A test needs the package `undici`, which is not installed. Install it: `npm install undici`.',
  )
  providePackages({ undici: () => import('undici') })
})

test('a package that is installed and lacks something itself fails with its own error', async () => {
  const error = Object.assign(new Error("Cannot find package 'b' imported from /a.js"), {
    code: 'ERR_MODULE_NOT_FOUND',
  })
  providePackages({
    handlebars: async () => {
      throw error
    },
  })
  await expect(loadPackage('handlebars', 'A test')).rejects.toBe(error)
  providePackages({ handlebars: () => import('handlebars') })
})

test('the file of a thread is itself where it runs unbundled, and never the bundle it is part of', () => {
  const url = new URL('../../store/sqlite/worker.ts', import.meta.url)
  expect(startedFile(url.href, 'store/sqlite/worker').href).toBe(url.href)
  // The repository has no built files, so the package is not installed.
  expect(() => startedFile(import.meta.url, 'store/sqlite/worker')).toThrow('Install it there: `npm install mandate@')
})
