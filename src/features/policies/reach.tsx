import type { JSX } from 'preact';
import { type ClosedOwner, type Program, shutOutClause } from '../../core/owner/program-rule.ts';
import type { Demand } from '../../core/owner/program-service.ts';

/** Says which organizations a token or an app doesn't reach, and why. */
export function NotReached(props: {
  closed: readonly ClosedOwner[];
  means: Program['means'];
}): JSX.Element {
  return (
    <>
      {props.closed.map((owner) => (
        <p>
          Doesn’t reach <strong>{owner.namespace}</strong>: {shutOutClause(owner, props.means)}.
        </p>
      ))}
    </>
  );
}

/** Says which organizations a new token or app won't reach, or not for long. */
export function Demands({
  demands,
  what,
}: {
  demands: readonly Demand[];
  what: 'token' | 'app';
}): JSX.Element | null {
  if (demands.length === 0) return null;
  return (
    <div class="hint">
      Not every {what} reaches these organizations:
      <ul>
        {demands.map(({ namespace, clause }) => (
          <li>
            <strong>{namespace}</strong>: {clause}.
          </li>
        ))}
      </ul>
    </div>
  );
}
