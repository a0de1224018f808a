import type { ProgramTable } from './option-table.ts'

const SCRIPT: ProgramTable = { operands: 'code', run: '-ceErp --eval --command' }
const STARTER: ProgramTable = { operands: 'command' }

/** Programs that reach other machines, and those that run others. The latter are granted with their first words, or by `launchers`. */
export const OTHER_PROGRAMS: { readonly [name: string]: ProgramTable } = {
  bash: SCRIPT,
  curl: {
    flag: '-0123456aBfgGiIjklLMnNpqRsSvVZ# --compressed --fail --fail-with-body --get --head --http1.0 --http1.1 --http2 --http3 --include --insecure --ipv4 --ipv6 --location --no-buffer --no-progress-meter --parallel --progress-bar --show-error --silent --tlsv1.2 --tlsv1.3 --verbose --version --help --path-as-is --globoff --tcp-nodelay --raw --remove-on-error',
    value:
      '-ACHmruUXyYtz --user-agent --continue-at --header --max-time --range --user --request --speed-time --speed-limit --connect-timeout --retry --retry-delay --retry-max-time --max-redirs --max-filesize --limit-rate --url-query --referer -e --proto --proto-redir --ciphers --interface --resolve --data-raw --json-raw',
    path: '-dF --data --data-ascii --data-binary --data-urlencode --form --form-string --json --cacert --capath --cert --key -E --unix-socket --abstract-unix-socket --netrc-file --upload-file -T -b --cookie',
    write:
      '-ocD -O! -J! --output --output-dir --remote-name! --remote-name-all! --remote-header-name! --cookie-jar --dump-header --trace --trace-ascii --stderr --libcurl --hsts --alt-svc --etag-save --create-dirs! --xattr!',
    run: '-K --config --engine -x --proxy --preproxy --socks5 --socks4 --doh-url -Q --quote -w --write-out',
  },
  docker: STARTER,
  env: STARTER,
  make: {
    flag: '-bmBdeikLnpqrRsStvw --always-make --environment-overrides --ignore-errors --keep-going --check-symlink-times --just-print --dry-run --recon --print-data-base --question --no-builtin-rules --no-builtin-variables --silent --quiet --no-keep-going --touch --trace --version --print-directory --no-print-directory --warn-undefined-variables --help -j? -l? --jobs? --load-average? --debug? --output-sync? -O?',
    value: '-oW --old-file --assume-old --what-if --new-file --assume-new',
    path: '-I --include-dir',
    chdir: '-C --directory',
    run: '-fE --file --makefile --eval',
    operands: 'paths',
  },
  man: {
    flag: '-adDfikKuVwWh --all --debug --default --whatis --ignore-case --where --where-cat --help --version --usage --regex --wildcard --names-only --update --no-subpages',
    value: '-eErRsSL --extension --encoding --locale --sections --systems -m --nh --nj',
    path: '-M --manpath',
    run: '-PHBClTXZtp --pager --html? --config-file --local-file! --preprocessor --troff! --troff-device? --ditroff! --gxditview?',
    operands: 'text',
  },
  node: {
    flag: '-v -h -c --test --check --version --help --test-only --test-force-exit --experimental-strip-types --experimental-transform-types --no-warnings --enable-source-maps --trace-warnings --trace-uncaught --test-update-snapshots --experimental-test-coverage --watch --no-experimental-strip-types --expose-gc --preserve-symlinks',
    value:
      '--test-reporter --test-name-pattern --test-skip-pattern --test-concurrency --test-timeout --test-shard --conditions -C --stack-trace-limit --max-old-space-size --unhandled-rejections --test-coverage-exclude --test-coverage-include --test-isolation --disable-warning',
    path: '--env-file --env-file-if-exists --icu-data-dir --watch-path',
    run: '-e -p -r -i! --eval --print --require --import --loader --experimental-loader --interactive! --run --inspect? --inspect-brk? --inspect-wait? --inspect-port --experimental-config-file --snapshot-blob --build-snapshot! --openssl-config --experimental-sea-config --test-global-setup',
    write:
      '--test-reporter-destination --cpu-prof! --cpu-prof-dir --heap-prof! --heap-prof-dir --report-directory --report-filename --diagnostic-dir --redirect-warnings --trace-event-file-pattern --tls-keylog --heapsnapshot-signal',
    style: 'words',
  },
  perl: SCRIPT,
  python: { flag: '-bBdEhiIOPqsSuvVx', value: '-WX', run: '-cm', operands: 'paths' },
  rsync: {
    remotes: true,
    flag: '-vqcarRbuldDHAXogtpSnWxkzCi8hP46 --verbose --quiet --checksum --archive --recursive --relative --backup --update --links --perms --owner --group --times --sparse --dry-run --whole-file --one-file-system --delete --delete-before --delete-during --delete-after --delete-excluded --force --compress --cvs-exclude --itemize-changes --human-readable --progress --partial --stats --safe-links --munge-links --ignore-existing --existing --size-only --version --help --list-only --numeric-ids --executability --mkpath --inplace --append',
    value:
      '-Bf --exclude --include --filter --max-size --min-size --bwlimit --timeout --chmod --chown --suffix --block-size --max-delete --modify-window --compress-level --info --debug --out-format',
    path: '-T --temp-dir --backup-dir --compare-dest --copy-dest --link-dest --partial-dir --exclude-from --include-from',
    run: '-e --rsh --rsync-path -M --remote-option --early-input --password-file --daemon! --config --sockopts --copy-as --stop-after',
    write: '--log-file --write-batch --only-write-batch --read-batch',
    reach: '--files-from',
    follow: '-LK --copy-links --keep-dirlinks --copy-dirlinks --copy-unsafe-links',
  },
  sh: SCRIPT,
  ssh: {
    flag: '-46AaCfGgKkMNnqsTtVvXxYy',
    value: '-bcBIJlmOpQWe',
    path: '-i',
    run: '-FoSwDLRE',
    operands: 'command',
  },
  wget: {
    flag: '-bcdFhHkKLNmnpqrSvVxE46 --quiet --verbose --no-verbose --server-response --spider --no-check-certificate --content-disposition --compression --continue --timestamping --help --version --https-only --no-hsts --no-cookies --no-parent --recursive --page-requisites --inet4-only --inet6-only',
    value:
      '-ADIjlQRTtUwX --tries --timeout --wait --user-agent --header --level --accept --reject --domains --quota --max-redirect --method --body-data --post-data --limit-rate --referer --user --password --dns-timeout --connect-timeout --read-timeout',
    path: '-BP --directory-prefix --post-file --body-file --load-cookies --ca-certificate --ca-directory --certificate --private-key --base',
    run: '-e --execute --use-askpass --config',
    write: '-aoO --output-document --output-file --append-output --save-cookies --warc-file --rejected-log --hsts-file',
    reach: '-i --input-file',
  },
  xargs: STARTER,
}
