import { expect, test } from 'vitest'
import { describeSubset, subsetPrompt } from './guide.ts'
import { refusals } from './refusals.ts'

test('the page and the text for prompts name everything that is refused', () => {
  const [page, prompt] = [describeSubset(), subsetPrompt()]
  for (const { title, why } of Object.values(refusals)) {
    expect(page).toContain(title)
    expect(page).toContain(why)
    expect(prompt).toContain(title.replaceAll('`', '').replace(/^(A|An|The) /, (word) => word.toLowerCase()))
  }
  expect(prompt).toContain('Array.from(arguments)')
  expect(prompt.length).toBeLessThan(2_000)
})
