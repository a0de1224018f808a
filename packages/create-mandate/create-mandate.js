#!/usr/bin/env node
// `npm create mandate` runs `mandate init` of the package mandate, in the version that this package depends on.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const manifest = createRequire(import.meta.url).resolve('mandate/package.json')
process.argv.splice(2, 0, 'init')
await import(pathToFileURL(join(dirname(manifest), 'dist/cli/main.js')).href)
