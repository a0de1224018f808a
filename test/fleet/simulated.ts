import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FleetReport } from './fleet.ts'

/** A process of its own: the simulation takes over the time of the process it is in. */
export function simulate(plan: Readonly<Record<string, number | string>>): Promise<FleetReport> {
  const path = fileURLToPath(new URL('./simulate.ts', import.meta.url))
  const given = Object.entries(plan).flatMap(([name, value]) => [`--${name}`, String(value)])
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--conditions=mandate-source', path, ...given], { stdio: 'pipe' })
    let out = ''
    let complaint = ''
    child.stdout.on('data', (chunk) => (out += String(chunk)))
    child.stderr.on('data', (chunk) => (complaint += String(chunk)))
    child.on('error', reject)
    child.on('close', () => (out === '' ? reject(new Error(complaint)) : resolve(JSON.parse(out) as FleetReport)))
  })
}
