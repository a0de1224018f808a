import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { builtPackage } from './built-package.ts'

/** Runs a program of the tests as a process that may kill itself: takes its task as JSON, gives what it printed as JSON, and nothing when it was killed. */
export async function runMortal<Report>(program: URL, task: object): Promise<Report | undefined> {
  const { flags } = await builtPackage()
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', ...flags, fileURLToPath(program), JSON.stringify(task)],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let out = ''
    let complaint = ''
    child.stdout.on('data', (chunk) => (out += String(chunk)))
    child.stderr.on('data', (chunk) => (complaint += String(chunk)))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve(undefined)
      else if (code === 0 && complaint === '') resolve(JSON.parse(out) as Report)
      else reject(new Error(`the process ended with ${code ?? signal}: ${complaint || out}`))
    })
  })
}
