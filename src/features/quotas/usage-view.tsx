import type { JSX } from 'preact';
import { formatSize } from '../../base/text/size.ts';
import { amountInWords, type Limit } from '../../core/quota/quota.ts';
import { isNearlyFull, type Usage } from './usage-service.ts';

const LABELS: Record<Limit, string> = {
  documents: 'Documents',
  bytes: 'Storage',
  tokens: 'Active tokens',
  webhooks: 'Webhooks',
  documentsPerDay: 'New documents in 24 hours',
  organizations: 'Organizations',
};

const HINTS: Partial<Record<Limit, string>> = {
  documents: 'Not those in the trash.',
  bytes: 'With history, trash and files, and what you comment and propose anywhere.',
  organizations: 'Also those that others administer now.',
};

/**
 * Renders what an owner uses.
 *
 * @param props.limits which to show
 */
export function UsageList({
  usage,
  limits,
}: {
  usage: Usage;
  limits: readonly Limit[];
}): JSX.Element {
  const nearly = limits.filter((limit) => isNearlyFull(usage[limit]));
  return (
    <>
      {nearly.length > 0 && (
        <p class="form-fault" role="status">
          Nearly full: {nearly.map((limit) => LABELS[limit].toLowerCase()).join(', ')}. When a limit
          is reached, reading, exporting and deleting still work. Ask an administrator of this
          instance for more, or make room.
        </p>
      )}
      <dl class="identity">
        {limits.map((limit) => (
          <UsageRow usage={usage} limit={limit} />
        ))}
      </dl>
    </>
  );
}

function UsageRow({ usage, limit }: { usage: Usage; limit: Limit }): JSX.Element {
  const { used, allowed } = usage[limit];
  const files = limit === 'bytes' && usage.fileBytes > 0;
  return (
    <>
      <dt>{LABELS[limit]}</dt>
      <dd>
        {amountInWords(limit, used)}
        {allowed !== null && ` of ${amountInWords(limit, allowed)}`}
        {allowed !== null && (
          <span class="progress">
            <progress
              max={Math.max(allowed, 1)}
              value={Math.min(used, Math.max(allowed, 1))}
              aria-hidden="true"
            />
          </span>
        )}
        {HINTS[limit] && (
          <p class="hint">
            {HINTS[limit]}
            {files && ` Files: ${formatSize(usage.fileBytes)}.`}
          </p>
        )}
      </dd>
    </>
  );
}
