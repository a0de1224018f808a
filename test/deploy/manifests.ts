import { readFileSync } from 'node:fs'
import { parse, parseAllDocuments } from 'yaml'

/** A part of a YAML document, looked at with caution. */
export type Tree = Readonly<Record<string, unknown>>

export function readYaml(path: string): Tree {
  return parse(readFileSync(path, 'utf8'), { merge: true }) as Tree
}

export function readAllYaml(path: string): Tree[] {
  return parseAllDocuments(readFileSync(path, 'utf8')).map((document) => {
    if (document.errors.length > 0) throw new Error(`${path}: ${document.errors[0]!.message}`)
    return document.toJS() as Tree
  })
}

/** What is at a path of names; undefined where there is nothing. */
export function at(tree: unknown, ...names: readonly (string | number)[]): unknown {
  let found = tree
  for (const name of names) found = (found as Record<string, unknown> | undefined)?.[name]
  return found
}

export function list(tree: unknown, ...names: readonly (string | number)[]): Tree[] {
  return (at(tree, ...names) as Tree[] | undefined) ?? []
}

/** Kinds that the manifests may have, with the version of their interface and the fields of their specification. */
const KINDS: Readonly<Record<string, { readonly version: string; readonly fields: readonly string[] }>> = {
  Deployment: { version: 'apps/v1', fields: ['replicas', 'selector', 'strategy', 'template'] },
  Service: { version: 'v1', fields: ['selector', 'ports', 'type'] },
  Secret: { version: 'v1', fields: [] },
  ConfigMap: { version: 'v1', fields: [] },
  PodDisruptionBudget: { version: 'policy/v1', fields: ['minAvailable', 'maxUnavailable', 'selector'] },
  HorizontalPodAutoscaler: {
    version: 'autoscaling/v2',
    fields: ['scaleTargetRef', 'minReplicas', 'maxReplicas', 'metrics', 'behavior'],
  },
}

const POD_FIELDS = [
  'terminationGracePeriodSeconds',
  'securityContext',
  'initContainers',
  'containers',
  'volumes',
  'serviceAccountName',
]
const CONTAINER_FIELDS = [
  ...['name', 'image', 'command', 'args', 'env', 'envFrom', 'ports', 'resources', 'securityContext'],
  ...['volumeMounts', 'readinessProbe', 'livenessProbe'],
]

/** What is wrong with manifests that are applied together, one sentence each. */
export function checkManifests(manifests: readonly Tree[]): string[] {
  const named = (kind: string, name: unknown): Tree | undefined =>
    manifests.find((each) => each['kind'] === kind && at(each, 'metadata', 'name') === name)
  return manifests.flatMap((manifest) => {
    const kind = String(manifest['kind'])
    const place = `${kind} ${String(at(manifest, 'metadata', 'name'))}`
    const known = KINDS[kind]
    if (known === undefined) return [`${place}: an unknown kind`]
    const problems: string[] = []
    if (manifest['apiVersion'] !== known.version) problems.push('the version is not ' + known.version)
    if (typeof at(manifest, 'metadata', 'name') !== 'string') problems.push('it has no name')
    problems.push(...unknownFields(manifest['spec'], known.fields))
    if (kind === 'Deployment') problems.push(...checkDeployment(manifest, named))
    if (kind === 'Service' || kind === 'PodDisruptionBudget') problems.push(...checkSelector(manifest, manifests))
    if (kind === 'HorizontalPodAutoscaler') problems.push(...checkScaler(manifest, named))
    return problems.map((problem) => `${place}: ${problem}`)
  })
}

type Named = (kind: string, name: unknown) => Tree | undefined

function unknownFields(tree: unknown, fields: readonly string[]): string[] {
  return Object.keys((tree as Tree | undefined) ?? {})
    .filter((name) => !fields.includes(name))
    .map((name) => `the field "${name}" is unknown`)
}

function checkDeployment(manifest: Tree, named: Named): string[] {
  const labels = at(manifest, 'spec', 'template', 'metadata', 'labels')
  const pod = at(manifest, 'spec', 'template', 'spec') as Tree
  const problems = unknownFields(pod, POD_FIELDS)
  if (!isWithin(at(manifest, 'spec', 'selector', 'matchLabels'), labels))
    problems.push('it does not select its own pods')
  if (at(pod, 'securityContext', 'runAsNonRoot') !== true) problems.push('it may run as root')
  const volumes = new Set(list(pod, 'volumes').map(({ name }) => name))
  for (const container of [...list(pod, 'initContainers'), ...list(pod, 'containers')]) {
    problems.push(...unknownFields(container, CONTAINER_FIELDS))
    if (typeof container['image'] !== 'string') problems.push(`${String(container['name'])} has no image`)
    for (const { name } of list(container, 'volumeMounts'))
      if (!volumes.has(name)) problems.push(`the volume "${String(name)}" is not there`)
    for (const { valueFrom } of list(container, 'env'))
      problems.push(...checkSecret(at(valueFrom, 'secretKeyRef'), named))
    for (const { secretRef } of list(container, 'envFrom'))
      if (named('Secret', at(secretRef, 'name')) === undefined) problems.push('it takes a secret that is not there')
  }
  for (const { secret } of list(pod, 'volumes'))
    for (const { key } of list(secret, 'items'))
      problems.push(...checkSecret({ name: at(secret, 'secretName'), key }, named))
  return problems
}

function checkSecret(reference: unknown, named: Named): string[] {
  if (reference === undefined) return []
  const [name, key] = [String(at(reference, 'name')), String(at(reference, 'key'))]
  const isThere = at(named('Secret', name), 'stringData', key) !== undefined
  return isThere ? [] : [`the secret "${name}" has no "${key}"`]
}

function checkSelector(manifest: Tree, manifests: readonly Tree[]): string[] {
  const selector = at(manifest, 'spec', 'selector', 'matchLabels') ?? at(manifest, 'spec', 'selector')
  const selected = manifests.filter(
    (each) => each['kind'] === 'Deployment' && isWithin(selector, at(each, 'spec', 'template', 'metadata', 'labels')),
  )
  if (selected.length === 0) return ['it selects no pods']
  const ports = selected.flatMap((each) =>
    list(each, 'spec', 'template', 'spec', 'containers').flatMap((container) => list(container, 'ports')),
  )
  return list(manifest, 'spec', 'ports')
    .filter(({ targetPort }) => !ports.some(({ name, containerPort }) => [name, containerPort].includes(targetPort)))
    .map(({ targetPort }) => `no container has the port "${String(targetPort)}"`)
}

function checkScaler(manifest: Tree, named: Named): string[] {
  const target = at(manifest, 'spec', 'scaleTargetRef')
  const [least, most] = [at(manifest, 'spec', 'minReplicas'), at(manifest, 'spec', 'maxReplicas')]
  const found = named(String(at(target, 'kind')), at(target, 'name'))
  const problems = found === undefined ? ['it scales what is not there'] : []
  if (at(found, 'spec', 'replicas') !== undefined) problems.push('every deploy would undo it: the target sets replicas')
  if (!(Number(least) >= 1 && Number(most) >= Number(least))) problems.push('its limits make no sense')
  for (const metric of list(manifest, 'spec', 'metrics')) {
    const own = { External: 'external', Resource: 'resource', Pods: 'pods', Object: 'object' }[String(metric['type'])]
    if (own === undefined || at(metric, own, 'target', 'type') === undefined) problems.push('a metric has no target')
  }
  return problems
}

function isWithin(labels: unknown, all: unknown): boolean {
  return Object.entries(labels as Tree).every(([name, value]) => at(all, name) === value)
}
