import {
  ALNUM,
  BASE64,
  DASH,
  DIGIT,
  DOLLAR,
  DOT,
  EQUALS,
  LOWER,
  PERCENT,
  SLASH,
  TOKEN,
  UPPER,
  WORD,
} from './characters.ts'
import { type SecretFormat, tokenFormat } from './format.ts'
import { isMixed } from './strength.ts'

const HEX = /^[0-9a-fA-F]+$/
const hexAfter =
  (length: number) =>
  (token: string): boolean =>
    HEX.test(token.slice(length))
const shaped =
  (pattern: RegExp) =>
  (token: string): boolean =>
    pattern.test(token)

type Row = readonly [
  name: string,
  anchors: string,
  kinds: number,
  min: number,
  max?: number | undefined,
  check?: (token: string) => boolean,
]

/** Tokens whose issuers gave them a beginning of their own. Lengths are a little under what is issued today, since issuers lengthen them. */
const ROWS: readonly Row[] = [
  // Models and what surrounds them.
  ['anthropic-key', 'sk-ant-', TOKEN, 20],
  ['openrouter-key', 'sk-or-', TOKEN, 20],
  ['openai-key', 'sk- sk-proj- sk-svcacct- sk-admin-', TOKEN, 20],
  ['groq-key', 'gsk_', ALNUM, 40],
  ['xai-key', 'xai-', TOKEN, 40],
  ['perplexity-key', 'pplx-', ALNUM, 32],
  ['huggingface-token', 'hf_ api_org_', ALNUM, 30, 64],
  ['replicate-token', 'r8_', ALNUM, 32, 64],
  ['langsmith-key', 'lsv2_ ls__', WORD, 30],
  ['pinecone-key', 'pcsk_', WORD, 40],
  ['together-key', 'tgp_v1_', TOKEN, 30],
  ['fireworks-key', 'fw_', ALNUM, 22, 40],
  ['tavily-key', 'tvly-', TOKEN, 24],
  ['cerebras-key', 'csk-', ALNUM, 32],
  ['nvidia-key', 'nvapi-', TOKEN, 40],
  ['e2b-key', 'e2b_', ALNUM, 32],
  ['firecrawl-key', 'fc-', ALNUM, 32, 32, hexAfter(3)],
  ['jina-key', 'jina_', TOKEN, 40],
  ['elevenlabs-key', 'sk_', ALNUM, 40, 64, hexAfter(3)],
  ['voyage-key', 'pa-', TOKEN, 40, 64],
  ['wandb-key', 'wandb_v1_', TOKEN, 30],
  // Clouds.
  ['aws-key', 'AKIA ASIA ABIA ACCA', UPPER | DIGIT, 13, 28],
  ['aws-session-token', 'IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz', BASE64, 80],
  ['google-key', 'AIza', TOKEN, 30, 64],
  ['google-oauth-secret', 'GOCSPX-', TOKEN, 20],
  ['google-token', 'ya29.', TOKEN | DOT, 20],
  ['google-refresh-token', '1//0', TOKEN, 36],
  ['digitalocean-token', 'dop_v1_ doo_v1_ dor_v1_', ALNUM, 40],
  ['cloudflare-token', 'v1.0- cfut_ cfat_', TOKEN, 36],
  ['heroku-key', 'HRKU-', TOKEN, 30],
  ['netlify-token', 'nfp_ nfo_ nfc_ nfu_', ALNUM, 30],
  ['vercel-token', 'vcp_ vck_ vca_ vci_', WORD, 20],
  ['fly-token', 'fm1_ fm2_ fo1_', BASE64 | TOKEN, 40],
  ['supabase-token', 'sbp_ sb_secret_', TOKEN, 20],
  ['planetscale-token', 'pscale_tkn_ pscale_pw_ pscale_oauth_', TOKEN | DOT, 30],
  ['databricks-token', 'dapi', WORD | DASH, 32, 40, shaped(/^dapi[0-9a-f]{32}(?:-\d)?$/)],
  ['vault-token', 'hvs. hvb. hvr.', TOKEN, 24],
  ['doppler-token', 'dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.', TOKEN | DOT, 32],
  ['pulumi-token', 'pul-', ALNUM, 40, 40, hexAfter(4)],
  ['alibaba-key', 'LTAI', ALNUM, 12, 24],
  // Services.
  ['slack-token', 'xoxa- xoxb- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xapp- xwfp-', TOKEN | DOT, 20],
  ['stripe-key', 'sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_', WORD, 16],
  ['webhook-secret', 'whsec_', BASE64 | TOKEN, 20],
  ['square-token', 'sq0atp- sq0csp- sq0idp-', TOKEN, 20],
  ['twilio-key', 'SK', ALNUM, 32, 32, hexAfter(2)],
  ['sendgrid-key', 'SG.', TOKEN | DOT, 40, 120, shaped(/^SG\.[\w-]{16,}\.[\w-]{16,}$/)],
  ['mailgun-key', 'key-', ALNUM, 32, 32, hexAfter(4)],
  ['paypal-token', 'access_token$', WORD | DOLLAR, 40],
  ['shopify-token', 'shpat_ shpca_ shppa_ shpss_ shptka_', ALNUM, 32, 40, isMixed],
  ['notion-token', 'ntn_ secret_', ALNUM, 40, 64],
  ['airtable-token', 'pat', ALNUM | DOT, 70, 90, shaped(/^pat[A-Za-z0-9]{14}\.[0-9a-f]{60,}$/)],
  ['atlassian-token', 'ATATT3 ATCTT3 ATBB', TOKEN | EQUALS, 24],
  ['figma-token', 'figd_ figo_ figu_ figor_', TOKEN, 30],
  ['newrelic-key', 'NRAK- NRII- NRJS- NRRA- NRIQ- NRAA-', TOKEN, 19],
  ['sentry-token', 'sntrys_ sntryu_ sntrya_', BASE64 | TOKEN, 40],
  ['grafana-token', 'glsa_ glc_', BASE64 | TOKEN, 32],
  ['postman-key', 'PMAK-', TOKEN, 40],
  ['linear-key', 'lin_api_ lin_oauth_ lin_wh_', ALNUM, 30],
  ['hubspot-token', 'pat-na1- pat-eu1- pat-na2- pat-ap1-', TOKEN, 30],
  ['dropbox-token', 'sl.', TOKEN, 80],
  ['mapbox-token', 'sk.eyJ', TOKEN | DOT, 40],
  ['typeform-token', 'tfp_', TOKEN, 40],
  ['segment-token', 'sgp_', ALNUM, 40],
  ['contentful-token', 'CFPAT-', TOKEN, 40],
  ['dynatrace-token', 'dt0c01. dt0s01. dt0s02.', WORD | DOT, 60],
  ['launchdarkly-key', 'sdk- api-', TOKEN, 36, 36, shaped(/^(?:sdk|api)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)],
  ['posthog-key', 'phx_ phs_', ALNUM, 32],
  ['plaid-token', 'access-production- access-sandbox- access-development-', TOKEN, 32],
  ['razorpay-key', 'rzp_live_ rzp_test_', ALNUM, 14, 20],
  ['flutterwave-key', 'FLWSECK- FLWSECK_TEST-', TOKEN, 30],
  ['brevo-key', 'xkeysib- xsmtpsib-', TOKEN, 60],
  ['resend-key', 're_', WORD, 30, 60, shaped(/^re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}$/)],
  ['mailersend-key', 'mlsn.', ALNUM, 50],
  ['duffel-token', 'duffel_live_ duffel_test_', TOKEN, 40],
  ['easypost-key', 'EZAK EZTK', ALNUM, 50, 60],
  ['shippo-token', 'shippo_live_ shippo_test_', ALNUM, 40],
  ['readme-key', 'rdme_', ALNUM, 50],
  ['prefect-key', 'pnu_ pnb_', ALNUM, 32],
  ['sonar-token', 'squ_ sqp_ sqa_', ALNUM, 40, 40],
  ['buildkite-token', 'bkua_ bkct_', ALNUM, 36],
  ['circleci-token', 'CCIPAT_ CCIPRJ_', WORD, 36],
  ['artifactory-key', 'AKCp cmVmdGtu', ALNUM, 56, 80],
  ['intercom-token', 'dG9rO', BASE64, 40, 80],
  ['mandate-token', 'fvm_ mdt_', TOKEN, 32],
  // Forges and registries.
  ['github-token', 'ghp_ gho_ ghu_ ghs_ ghr_', WORD, 30],
  ['github-token', 'github_pat_', WORD, 36],
  [
    'gitlab-token',
    'glpat- gldt- glrt- glptt- glcbt- glsoat- glft- glimt- glagent- glffct- gloas- GR1348941',
    TOKEN | DOT,
    20,
  ],
  ['npm-token', 'npm_', ALNUM, 30],
  ['pypi-token', 'pypi-AgE', TOKEN, 40],
  ['docker-token', 'dckr_pat_ dckr_oat_', TOKEN, 20],
  ['rubygems-key', 'rubygems_', ALNUM, 40],
  ['nuget-key', 'oy2', LOWER | DIGIT, 43, 43],
  ['crates-token', 'cio', ALNUM, 32, 32],
  ['clojars-token', 'CLOJARS_', ALNUM, 50],
  // Keys that are one word.
  ['age-key', 'AGE-SECRET-KEY-1', UPPER | DIGIT, 50, 64],
  ['extended-private-key', 'xprv tprv yprv zprv', ALNUM, 100, 112],
  ['json-web-token', 'eyJ', TOKEN | DOT, 20, 16_384, shaped(/^eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*$/)],
]

/** Addresses and parameters whose beginning is public and whose rest gives access. */
const KEPT: readonly Row[] = [
  ['slack-webhook', 'hooks.slack.com/services/ hooks.slack.com/workflows/', WORD | SLASH, 20],
  ['discord-webhook', 'discord.com/api/webhooks/ discordapp.com/api/webhooks/', TOKEN | SLASH, 40],
  ['zapier-webhook', 'hooks.zapier.com/hooks/catch/', WORD | SLASH, 8],
  ['teams-webhook', '.webhook.office.com/webhookb2/', TOKEN | SLASH, 40],
  ['signature', 'X-Amz-Signature= X-Goog-Signature= x-amz-signature=', ALNUM, 32],
  ['session-token', 'X-Amz-Security-Token= x-amz-security-token=', BASE64 | TOKEN | PERCENT, 40],
  ['signature', '&sig= ?sig= &amp;sig= ;sig=', BASE64 | TOKEN | PERCENT, 20],
]

function formatsOf(rows: readonly Row[], keep: boolean): readonly SecretFormat[] {
  return rows.map(([name, anchors, kinds, min, max, check]) =>
    tokenFormat(name, anchors.split(' '), { kinds, min, max, check, keep }),
  )
}

export const ISSUED: readonly SecretFormat[] = [...formatsOf(ROWS, false), ...formatsOf(KEPT, true)]
