// A Postgres server for the example: the one of DATABASE_URL, or a new one from the programs that are installed here.
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Server {
  readonly url: string
  stop(): Promise<void>
}

/** Undefined where there is neither a URL nor an installed server. */
export async function startPostgres(): Promise<Server | undefined> {
  const given = process.env['DATABASE_URL']
  if (given !== undefined) return { url: given, stop: async () => {} }
  const bin = installed()
  if (bin === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'mandate-workers-'))
  // Postgres refuses to run as root: then its own user runs it.
  const as = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid)
  const data = join(folder, 'data')
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync'], {
    cwd: folder,
    stdio: 'pipe',
    ...as,
  })
  const port = await freePort()
  const args = ['-D', data, '-k', folder, '-p', String(port), '-c', 'listen_addresses=127.0.0.1']
  const server = spawn(join(bin, 'postgres'), args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], ...as })
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (piece) => (/ready to accept connections/i.test(String(piece)) ? resolve() : undefined))
    server.once('exit', (code) => reject(new Error(`Postgres ended with ${code}`)))
  })
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGINT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function installed(): string | undefined {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).toSorted((a, b) => Number(b) - Number(a)) : []
  return versions.map((version) => join(root, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')))
}

function idOf(flag: string): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}
