import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** Runs a few lines in a process in which two packages cannot be found. */
function without(lines: string): string {
  const hook = `import { registerHooks } from 'node:module'
    registerHooks({ resolve(name, context, next) {
      if (name === 'pg' || name === '@redis/client') throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' })
      return next(name, context)
    } })`
  const flags = ['--conditions=mandate-source', '--disable-warning=ExperimentalWarning', '--input-type=module']
  return execFileSync(process.execPath, [...flags, '-e', `${hook}\n${lines}`], { encoding: 'utf8' })
}

test('the rooms of Postgres and Redis load without their drivers, and the first use says which package to install', () => {
  const said = without(`
    const { postgresJournal } = await import('mandate/postgres')
    const { redisMemory } = await import('mandate/redis')
    const tell = (error) => console.log(error.code, error.message)
    await postgresJournal({ url: 'postgres://localhost/x' }).list().catch(tell)
    await redisMemory({ url: 'redis://localhost' }).read('s').catch(tell)`)
  expect(said.split('\n')).toEqual([
    expect.stringMatching(/^CONFIG_INVALID .*npm install pg/),
    expect.stringMatching(/^CONFIG_INVALID .*npm install @redis\/client/),
    '',
  ])
})
