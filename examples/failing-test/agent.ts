import { dirname } from 'node:path'
import { secret } from 'mandate/redact'
import type { AgentConfig, Json } from 'mandate'
import { fileTools, httpFetch, shellIsolation, shellTool } from 'mandate/connect'
import { scripted, toolResultsOf } from 'mandate/model'
import type { ModelRequest } from 'mandate/model'

/** What the last call of a tool gave, or why it gave nothing. */
function lastResult(request: ModelRequest, tool: string): { value?: Json; problem?: string } {
  const results = request.messages.flatMap((message) => toolResultsOf(message)).filter(({ name }) => name === tool)
  const last = results.at(-1)
  if (last?.status === 'ok') return { value: last.value }
  return { problem: JSON.stringify(last ?? 'it was not called') }
}

interface Ran {
  readonly exitCode: number
  readonly stdout: string
  readonly isolation: string
}

/** The name of the failing test, as the runner prints it. */
function failingIn({ stdout }: Ran): string | undefined {
  return /^not ok \d+ - (.+)$/m.exec(stdout)?.[1]
}

/** Stands in for a model: it reads what the tools really gave and decides from that, and costs nothing. */
function pretendModel(tracker: string): AgentConfig['model'] {
  const giveUp = (what: string, problem: string | undefined): string => `I could not ${what}: ${problem}`
  return scripted(
    [
      {
        text: 'I look for the tests of this repository.',
        toolCalls: [{ name: 'search_files', input: { text: 'node:test' } }],
      },
      (request) => {
        const { value, problem } = lastResult(request, 'search_files')
        const [path] = /test\/[\w.-]+/.exec(JSON.stringify(value)) ?? []
        if (path === undefined) return giveUp('find a test', problem ?? 'nothing imports node:test')
        return {
          text: `I run ${path}, and see whether something fails.`,
          toolCalls: [{ name: 'run_command', input: { argv: ['node', '--test', '--test-reporter=tap', path] } }],
        }
      },
      (request) => {
        const { value, problem } = lastResult(request, 'run_command')
        if (value === undefined) return giveUp('run the tests', problem)
        const ran = value as unknown as Ran
        const failing = failingIn(ran)
        if (failing === undefined) return 'All tests pass; there is nothing to report.'
        const body = `Reproduced (${ran.isolation}):\n\n    node --test test/days.test.mjs\n\n${ran.stdout.slice(0, 1_500)}`
        return {
          text: `"${failing}" fails every time. I would like to open an issue.`,
          toolCalls: [
            {
              name: 'http_fetch',
              input: {
                url: `${tracker}/issues`,
                method: 'POST',
                headers: { 'content-type': 'application/json' },
                body: JSON.stringify({ title: `Failing test: ${failing}`, body }),
              },
            },
          ],
        }
      },
      (request) => {
        const { value, problem } = lastResult(request, 'http_fetch')
        const { status, body } = (value ?? {}) as { status?: number; body?: string }
        if (status !== 201) return giveUp('open the issue', problem ?? `the tracker answered ${status}`)
        return `Issue ${(JSON.parse(body!) as { number: number }).number} is open.`
      },
    ],
    { name: 'reproducer' },
  )
}

/** Finds a failing test in a repository, reproduces it in the sandbox, and opens an issue once it is approved. */
export function failingTest(repository: string, tracker: string): AgentConfig {
  return {
    id: 'failing-test',
    instructions: 'You find failing tests, reproduce them and open issues that others can act on.',
    model: pretendModel(tracker),
    tools: [
      ...fileTools({ root: repository }),
      // Node asks the system for far more addresses than it uses, so they are bounded less tightly than for other programs.
      shellTool({
        root: repository,
        allow: ['node --test'],
        path: [dirname(process.execPath)],
        // The example runs everywhere, with tests of its own. Leave this out where a model chooses what is run: without isolation nothing is.
        isolation: shellIsolation().isolation === 'bubblewrap' ? 'required' : 'none',
        bounds: { memoryBytes: 2 ** 40 },
      }),
      // The token is a handle: it is put in where the request is made, and no model, journal or log ever has it.
      httpFetch({ allow: [tracker], methods: ['POST'], headers: { authorization: secret('TRACKER_TOKEN') } }),
    ],
    mandate: {
      grant: ['run_command', 'http_fetch'],
      // Output of the sandbox and content of files is untrusted, so publishing it needs an approval.
      rules: [{ id: 'issues', when: 'tool == "http_fetch"', then: 'ask', reason: 'An issue is read by others.' }],
      budget: { toolCalls: 10, totalTokens: 50_000 },
    },
  }
}
