import type { ApprovalRequest } from '../../run/index.ts'

/** Allows no script and no other resource; the form can be sent to the same origin only. */
const POLICY = "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
const INPUT_CHARS = 20_000

/** Returns the page of a link: the call, and a form to decide about it. It contains no script and no style. */
export function approvalPage(request: ApprovalRequest, expiresAt: number): Response {
  const { kind, name, text, risk, run, rule, input } = request
  const shown = JSON.stringify(input, undefined, 2)
  const cut =
    shown.length > INPUT_CHARS
      ? `${shown.slice(0, INPUT_CHARS)}\n… ${shown.length - INPUT_CHARS} more characters`
      : shown
  const facts = [
    ['Call', `${kind} ${name}`],
    ['Why it is asked', text],
    ['Risk', risk ?? 'not said'],
    ['Rule', rule],
    ['Run', run],
    ['The link works until', new Date(expiresAt).toISOString()],
  ]
  return page(
    200,
    'Approve this call?',
    `<dl>${facts.map(([term, fact]) => `<dt>${escaped(term!)}</dt><dd>${escaped(fact!)}</dd>`).join('')}</dl>
<h2>Input</h2><pre>${escaped(cut)}</pre>
<form method="post"><p><label>Reason (optional)<br><textarea name="reason" rows="3" cols="60" maxlength="2000"></textarea></label></p>
<p><button name="decision" value="approve">Approve</button> <button name="decision" value="reject">Reject</button></p></form>`,
  )
}

export function messagePage(status: number, title: string, text: string): Response {
  return page(status, title, `<p>${escaped(text)}</p>`)
}

function page(status: number, title: string, body: string): Response {
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${escaped(title)}</title></head>
<body><main><h1>${escaped(title)}</h1>
${body}
</main></body></html>
`
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    // With `no-referrer` the form would be sent with the origin `null`, and be refused.
    'referrer-policy': 'same-origin',
  }
  return new Response(html, { status, headers })
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => ESCAPES[char]!)
}
