import { expect, it } from 'vitest'
import { host, model } from '../agent.fixture.ts'

const PNG = 'iVBORw0KGgo='

it('files that go with a prompt are parts of it, and text is text', async () => {
  const mind = model(['A cat.', 'Still a cat.'])
  const service = host({ model: mind })
  const files = [
    { mediaType: 'image/png', data: new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]), filename: 'cat.png' },
    { mediaType: 'application/pdf', url: 'https://example.com/a.pdf' },
    { mediaType: 'text/markdown', data: new TextEncoder().encode('# Größe'), filename: 'notes.md' },
  ]
  const result = await service.run('main', 'What is this?', { files })
  const content = [
    { type: 'text', text: 'What is this?' },
    { type: 'image', mediaType: 'image/png', data: PNG, filename: 'cat.png' },
    { type: 'file', mediaType: 'application/pdf', url: 'https://example.com/a.pdf' },
    { type: 'text', text: 'File "notes.md":\n# Größe' },
  ]
  expect(mind.requests[0]!.messages.at(-1)).toMatchObject({ role: 'user', content })
  expect((await service.messages(result.id))[0]).toMatchObject({ content })
  expect(await service.replay(result.id)).toMatchObject({ identical: true })
  await service.run('main', undefined, { files: files.slice(0, 1) })
  expect(mind.requests[1]!.messages.at(-1)).toMatchObject({ role: 'user', content: [content[1]] })
})

it.each([
  [{ mediaType: 'image/png' }, 'either `data` or `url`'],
  [{ mediaType: 'png', data: PNG }, 'no `mediaType`'],
  [{ mediaType: 'image/png', data: 'not base64!' }, 'must be bytes'],
  [{ mediaType: 'image/png', dta: PNG }, 'dta'],
  [{ mediaType: 'text/plain', data: 'A'.repeat(6_000_000) }, 'give the part that matters, or its `url` instead'],
  [{ mediaType: 'image/png', url: 'cat.png' }, 'is not an address'],
])('what cannot be a file is refused by name: %#', async (file, message) => {
  const run = host({ model: model(['Yes.']) }).run('main', 'Go.', { files: [file] })
  await expect(run).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    message: expect.stringContaining(message) as string,
  })
})
