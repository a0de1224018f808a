import { describe, expect, test } from 'vitest'
import { AgentService } from '../../agent/index.ts'
import { inMemory } from '../../memory/index.ts'
import { scripted } from '../../model/index.ts'
import { Registry } from '../../run/index.ts'
import { defineTool } from '../../tool/index.ts'
import { CATALOG_KINDS } from '../blueprint/blueprint.ts'
import { graphRegistry } from './graph-registry.ts'

const lookup = defineTool({ name: 'lookup', risk: 'read', run: () => 'found' })

function serviceWith(): AgentService {
  return new AgentService({ tools: [lookup], agents: [{ id: 'writer', model: scripted(['Done.']) }] })
}

describe('the registry of a service', () => {
  test('knows what the service has, without the minds of the package itself', () => {
    const service = serviceWith()
    const names = graphRegistry(service)
    expect(graphRegistry(service)).toBe(names)
    expect(names.names('tool')).toEqual(['lookup'])
    expect(names.names('agent')).toEqual(['writer'])
    expect(names.names('program')).toEqual([])
    service.register({ id: 'editor', model: scripted(['Done.']) })
    expect(names.find('agent', 'editor')).toBe('editor')
    expect(names.find('agent', 'reader')).toBeUndefined()
  })

  test('knows the stores that are there', () => {
    const registry = new Registry()
    registry.memory = inMemory()
    expect(graphRegistry(new AgentService({ registry })).names('store')).toEqual(['memory'])
  })

  test('registers models with the kernel itself, so that there is one place for them', () => {
    const registry = new Registry()
    const names = graphRegistry(new AgentService({ registry }))
    const model = scripted(['Hello.'])
    names.registerModel('small', model)
    expect(registry.models.get('small')).toBe(model)
  })

  test('gives routers and reducers by name or alias', () => {
    const names = graphRegistry(serviceWith())
    const router = () => 'left'
    const reducer = () => 1
    names.registerRouter('pick', router)
    names.registerReducer('one', reducer)
    names.alias('router', 'choose', 'pick')
    expect(names.router('choose')).toBe(router)
    expect(names.reducer('one')).toBe(reducer)
    expect(() => names.router('pikc')).toThrow('There is no router "pikc" here. Did you mean "pick"?')
    expect(() => names.registerRouter('no', 'left' as never)).toThrow('must be a function')
  })
})

describe('an alias', () => {
  test('stands for a registered name, also over another alias and before its target is there', () => {
    const names = graphRegistry(serviceWith())
    names.alias('model', 'default', 'fast')
    names.alias('model', 'fast', 'small')
    expect(names.find('model', 'default')).toBeUndefined()
    names.registerModel('small', scripted(['Hello.']))
    expect(names.find('model', 'default')).toBe('small')
    expect(names.names('model')).toEqual(['default', 'fast', 'small'])
  })

  test('never leads back to itself', () => {
    const names = graphRegistry(serviceWith())
    names.alias('model', 'a', 'b')
    expect(() => names.alias('model', 'b', 'a')).toThrow('would lead back to itself')
    expect(() => names.alias('model', 'c', 'c')).toThrow('would lead back to itself')
  })

  test('of one kind says nothing about another', () => {
    const names = graphRegistry(serviceWith())
    names.alias('tool', 'find', 'lookup')
    expect(names.find('agent', 'find')).toBeUndefined()
  })
})

describe('a second thing of one name', () => {
  test('is refused for every kind of existing name, unless it overrides', () => {
    const names = graphRegistry(serviceWith())
    names.registerModel('small', scripted(['Hello.']))
    names.registerRouter('pick', () => 'left')
    names.registerReducer('one', () => 1)
    names.alias('tool', 'find', 'lookup')
    const again: readonly (() => void)[] = [
      () => names.registerModel('small', scripted(['Hello.'])),
      () => names.registerRouter('pick', () => 'right'),
      () => names.registerReducer('one', () => 2),
      () => names.alias('tool', 'find', 'search'),
      () => names.alias('tool', 'lookup', 'search'),
    ]
    for (const register of again) expect(register).toThrow(expect.objectContaining({ code: 'DUPLICATE' }))
    names.registerRouter('pick', () => 'right', { override: true })
    expect(names.router('pick')({}, null)).toBe('right')
    expect(() => names.registerReducer('two', () => 1, { overide: true } as never)).toThrow('`override`')
  })

  test('of a kind that there is not is refused', () => {
    const names = graphRegistry(serviceWith())
    expect(() => names.alias('models' as never, 'a', 'b')).toThrow('Did you mean "model"?')
    expect(() => names.find('thing' as never, 'a')).toThrow('Use one of: model')
  })
})

describe('what can be read of it', () => {
  test('is plain data in a fixed order, independent of the order of registration', () => {
    const [one, two] = [graphRegistry(serviceWith()), graphRegistry(serviceWith())]
    one.alias('tool', 'b', 'lookup')
    one.alias('tool', 'a', 'lookup')
    one.registerRouter('y', () => 'l')
    one.registerRouter('x', () => 'l')
    two.registerRouter('x', () => 'l')
    two.registerRouter('y', () => 'l')
    two.alias('tool', 'a', 'lookup')
    two.alias('tool', 'b', 'lookup')
    expect(JSON.stringify(one.snapshot())).toBe(JSON.stringify(two.snapshot()))
    expect(Object.keys(one.snapshot())).toEqual([...CATALOG_KINDS])
    expect(one.snapshot().tool).toEqual({ names: ['lookup'], aliases: { a: 'lookup', b: 'lookup' } })
  })

  test('names aliases without a target, aliases that are hidden, and names that kinds share', () => {
    const service = serviceWith()
    const names = graphRegistry(service)
    expect(names.findings()).toEqual([])
    names.alias('tool', 'find', 'lokup')
    names.alias('agent', 'author', 'writer')
    service.register({ id: 'author', model: scripted(['Done.']) })
    names.registerRouter('writer', () => 'left')
    expect(names.findings().map(({ severity, code, message, help }) => [severity, code, `${message} ${help}`])).toEqual(
      [
        [
          'error',
          'dangling-alias',
          'The alias "find" stands for the tool "lokup", which is not registered. Did you mean "lookup"?',
        ],
        ['warning', 'shadowed-alias', expect.stringContaining('"author" of the agent "writer" is never used')],
        ['note', 'shared-name', expect.stringContaining('"writer" is the name of several things: agent, router.')],
      ],
    )
    expect(names.find('agent', 'author')).toBe('author')
  })
})
