import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemRandom } from '../../src/core/index.ts'
import { has } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'
import { COMMAND, REFUND, ROOT, mandate, useOwnFolder, environment } from '../cli/mandate.fixture.ts'
import { at, checkManifests, list, readAllYaml, readYaml } from './manifests.ts'
import type { Tree } from './manifests.ts'

useOwnFolder()

const shared = ['worker', 'server', 'secrets.example'].flatMap((name) => readAllYaml(`deploy/kubernetes/${name}.yaml`))
const scalers = globSync('deploy/kubernetes/autoscale-*.yaml')

/** A manifest that is changed at will. */
interface Loose {
  [name: string | number]: Loose
}

describe('the manifests for Kubernetes', () => {
  test('each way to scale fits the rest', () => {
    expect(scalers).toHaveLength(2)
    for (const scaler of scalers) expect(checkManifests([...shared, ...readAllYaml(scaler)])).toEqual([])
  })

  test('what is wrong is found', () => {
    const broken = structuredClone([...shared, ...readAllYaml(scalers[0]!)]) as unknown as Loose[]
    const [worker, , server, service] = broken
    const pod = worker!['spec']!['template']!
    pod['metadata']!['labels']!['part'] = 'other' as never
    worker!['spec']!['replicas'] = 3 as never
    pod['spec']!['containers']![0]!['imagePolicy'] = 'x' as never
    const volumes = server!['spec']!['template']!['spec']!['volumes'] as unknown as Loose[]
    volumes.pop()
    service!['spec']!['ports']![0]!['targetPort'] = 'https' as never
    broken.splice(4, 1)
    const problems = checkManifests(broken).join('\n')
    for (const sentence of [
      'it does not select its own pods',
      'the field "imagePolicy" is unknown',
      'the volume "secrets" is not there',
      'the secret "agents" has no "store"',
      'no container has the port "https"',
      'it selects no pods',
      'the target sets replicas',
    ])
      expect(problems).toContain(sentence)
  })
})

test('the server in Kubernetes answers under its public name and that of its service, as its probe and its neighbours ask', () => {
  const server = shared.find(
    (each) => at(each, 'metadata', 'name') === 'agents-server' && each['kind'] === 'Deployment',
  )
  const [container] = list(server, 'spec', 'template', 'spec', 'containers')
  const args = container!['args'] as string[]
  const hosts = args[args.indexOf('--hosts') + 1]!.split(',')
  const probed = list(container, 'readinessProbe', 'httpGet', 'httpHeaders').find(({ name }) => name === 'Host')![
    'value'
  ]
  const service = shared.find(({ kind }) => kind === 'Service')
  expect(hosts).toEqual([probed, at(service, 'metadata', 'name')])
})

describe('the compose file', () => {
  const compose = readYaml('deploy/compose.yaml')

  test('has Postgres, two workers and a server, and refers to nothing that is not there', () => {
    const services = compose['services'] as Record<string, Tree>
    expect(Object.keys(services).sort()).toEqual(['postgres', 'server', 'worker'])
    expect(at(services['worker'], 'deploy', 'replicas')).toBe(2)
    for (const service of Object.values(services)) {
      expect(service['image'] ?? at(service, 'build', 'dockerfile')).toBeDefined()
      for (const needed of Object.keys((service['depends_on'] as Tree | undefined) ?? {}))
        expect(services).toHaveProperty(needed)
      for (const secret of list(service, 'secrets')) expect(compose['secrets']).toHaveProperty(String(secret))
      for (const volume of list(service, 'volumes'))
        expect(compose['volumes']).toHaveProperty(String(volume).split(':')[0]!)
    }
  })
})

/** The commands of all containers, as they are given to the command line. */
function commands(): string[][] {
  const pods = shared.flatMap((each) => list(each, 'spec', 'template', 'spec', 'containers').map(({ args }) => args))
  const services = Object.values(readYaml('deploy/compose.yaml')['services'] as Record<string, Tree>)
    .filter(({ build }) => build !== undefined)
    .map(({ command }) => command)
  return [...pods, ...services] as string[][]
}

test('every command of a container is one that the command line knows, with its options', async () => {
  expect(commands()).toHaveLength(4)
  for (const [name, ...given] of commands()) {
    const { out } = await mandate(name!, '--help')
    for (const option of given.filter((each) => each.startsWith('--'))) expect(out).toContain(option)
  }
})

test('the image has the command line as its first process, so that a signal reaches it', () => {
  const lines = readFileSync('deploy/Dockerfile', 'utf8').split('\n')
  const entry = JSON.parse(lines.find((line) => line.startsWith('ENTRYPOINT'))!.slice('ENTRYPOINT'.length)) as string[]
  const bin = (JSON.parse(readFileSync('package.json', 'utf8')) as { bin: { mandate: string } }).bin.mandate
  expect(entry).toEqual(['node', `node_modules/mandate/${bin.replace('./', '')}`])
  expect(lines).toContain('USER node')
})

/** Runs the command of a container without the container, until it says something. */
async function start(
  words: readonly string[],
  store: string,
): Promise<{ readonly process: ChildProcess; readonly said: string }> {
  const [command, ...args] = [...COMMAND, ...words, REFUND, '--json']
  const child = spawn(command, args, { cwd: ROOT, env: { ...environment(), MANDATE_DIR: store } })
  onTestFinished(() => void child.kill('SIGKILL'))
  let notes = ''
  child.stderr.on('data', (chunk: Buffer) => (notes += chunk.toString()))
  const said = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()))
    child.once('exit', (code) => reject(new Error(`${words[0]} ended with ${code}: ${notes}`)))
  })
  return { process: child, said }
}

test.skipIf(!has('postgres'))(
  'the commands of the compose file run, serve, and end well when they are told to',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mandate-deploy-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const store = `${await sharedServer('postgres')}?schema=t_${systemRandom.hex(8)}`
    const services = readYaml('deploy/compose.yaml')['services'] as Record<string, { readonly command: string[] }>
    const here = { '0.0.0.0': '127.0.0.1', '8787': '0', '/run/secrets/tokens': join(folder, 'tokens.json') }
    const words = (name: string): string[] =>
      services[name]!.command.map((word) => here[word as keyof typeof here] ?? word)
    const worker = await start(words('worker'), store)
    const server = await start(words('server'), store)
    const { url } = JSON.parse(server.said) as { url: string }
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    for (const { process: child } of [worker, server]) {
      const ended = new Promise((resolve) => void child.once('exit', resolve))
      child.kill('SIGTERM')
      expect(await ended).toBe(0)
    }
  },
)
