// `npm run test:chaos`: the whole chaos suite under a time limit of its own. What is cut off has failed.
import { spawn } from 'node:child_process'

const limitMs = Number(process.env['MANDATE_CHAOS_SECONDS'] ?? 3_600) * 1_000
const words = ['run', '--mode', 'chaos', ...process.argv.slice(2)]
const suite = spawn('node_modules/.bin/vitest', words, { stdio: 'inherit', detached: true })
const limit = setTimeout(() => {
  process.stderr.write(`The chaos suite was cut off after ${limitMs / 1_000} s: that is a failure.\n`)
  process.kill(-suite.pid!, 'SIGTERM')
  process.exitCode = 1
}, limitMs)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.kill(-suite.pid!, signal))
suite.once('exit', (code) => {
  clearTimeout(limit)
  process.exitCode ||= code ?? 1
})
