import { type Row, rows } from './table.ts'

const format = (name: string): { readonly format: string } => ({ format: name })

/** Formats are asserted where they are known: a model that sends a wrong date shall hear of it. */
export const formatRows: readonly Row[] = [
  ...rows('format', [
    [
      'date',
      format('date'),
      ['2026-02-28', '2024-02-29', 5, null],
      ['2026-02-30', '2025-02-29', '2026-13-01', '26-01-01', '2026-1-1', ''],
    ],
    [
      'time',
      format('time'),
      ['09:30:00Z', '23:59:60Z', '09:30:00.5+02:00'],
      ['09:30', '24:00:00Z', '09:60:00Z', '09:30:00'],
    ],
    [
      'date-time',
      format('date-time'),
      ['2026-01-31T09:30:00Z', '2026-01-31t09:30:00.123z', '2026-01-31T09:30:00-05:00'],
      ['2026-01-31', '2026-01-31T25:00:00Z', '2026-02-30T09:30:00Z', 'today'],
    ],
    ['duration', format('duration'), ['P1Y2M3DT4H5M6S', 'PT30M', 'P2W'], ['P', '1H', 'PT', 'P1S']],
    [
      'email',
      format('email'),
      ['a@b.example', 'a.b+c@d-e.example', '"a b"@c.example'],
      ['a', 'a@', '@b', 'a@b@c', '.a@b.example'],
    ],
    ['hostname', format('hostname'), ['a.example', 'a-1.example', 'localhost'], ['-a.example', 'a_b', 'a..b', 'a b']],
    [
      'ipv4',
      format('ipv4'),
      ['192.0.2.1', '0.0.0.0', '255.255.255.255'],
      ['256.0.0.1', '1.2.3', '1.2.3.4.5', 'a.b.c.d'],
    ],
    ['ipv6', format('ipv6'), ['::1', '2001:db8::1', '::ffff:192.0.2.1'], ['1::2::3', '12345::', ':::', '192.0.2.1']],
    [
      'uri',
      format('uri'),
      ['https://host.example/a?b#c', 'urn:isbn:1', 'mailto:a@b.example'],
      ['/a', 'host.example', 'http://a b', '\\\\share'],
    ],
    ['uri-reference', format('uri-reference'), ['/a', '#c', 'https://host.example', ''], ['\\\\share', 'a b']],
    ['uri-template', format('uri-template'), ['/a/{b}', '{?x,y}'], ['/a/{b', '}']],
    [
      'uuid',
      format('uuid'),
      ['123e4567-e89b-12d3-a456-426614174000', '123E4567-E89B-12D3-A456-426614174000'],
      ['123e4567', '123e4567e89b12d3a456426614174000', '123e4567-e89b-12d3-a456-42661417400g'],
    ],
    ['json-pointer', format('json-pointer'), ['', '/a/b~1c', '/a~0'], ['a', '/a~2', '/~']],
    ['relative-json-pointer', format('relative-json-pointer'), ['0', '1/a', '2#'], ['-1', '01', '/a']],
    ['regex', format('regex'), ['^a+$', '\\d'], ['(', '[a', '^(abc']],
    ['one that nobody knows', format('colour'), ['red', '', '#'], []],
    ['says nothing about other types', format('email'), [1, null, {}, []], []],
    ['iri', format('iri'), ['https://höst.example/ä'], ['no iri', '/relative']],
    ['iri-reference', format('iri-reference'), ['/ä'], ['\\\\share']],
    ['idn-email', format('idn-email'), ['ä@höst.example'], ['no address']],
    ['idn-hostname', format('idn-hostname'), ['höst.example'], ['-höst-', 'a..b']],
    ['hostname of a wrong punycode label', format('hostname'), ['xn--hst-sna.example'], ['xn--X.example']],
    ['uri with a port that is no number', format('uri'), ['https://host.example:80/'], ['https://host.example:a/']],
  ]),
]
