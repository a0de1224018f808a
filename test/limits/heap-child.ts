import { runScript } from '../../src/vm/machine/script.fixture.ts'

/**
 * Runs the script given as the first argument with the limits given as the second, and writes how it ended and the most
 * memory that this process had in use.
 */
const [source = '', limits = '{}'] = process.argv.slice(2)
const { result, error } = await runScript(source, { limits: JSON.parse(limits) as Record<string, number> })
const limit = (error?.info as { limit?: string } | undefined)?.limit
process.stdout.write(JSON.stringify({ result, limit, error: error?.message }))
