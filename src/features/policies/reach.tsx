import type { JSX } from 'preact';
import { type ClosedOwner, type Program, shutOutClause } from '../../core/owner/program-rule.ts';
import type { Demand } from '../../core/owner/program-service.ts';
import { Field } from '../../surfaces/web/pages/form-field.tsx';

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

/** Asks what a new token or app is to be limited to. */
export function ReachField(props: {
  value: string;
  fault: string | undefined;
  what: 'token' | 'app';
}): JSX.Element {
  const rest = props.what === 'token' ? '' : ' It can’t manage organizations then.';
  return (
    <Field
      name="reach"
      label="Only these documents (optional)"
      value={props.value}
      fault={props.fault}
      hint={`Such as “ada/plan”, or “ada” for all documents of ada, separated by commas. Everything else isn’t there for the ${props.what}.${rest}`}
      autocomplete="off"
      isOptional
      focused={props.fault !== undefined}
    />
  );
}

/** Says what a token or an app is limited to, if it is. */
export function Reaches({ reaches }: { reaches: readonly string[] }): JSX.Element | null {
  if (reaches.length === 0) return null;
  return <p>Only {reaches.join(', ')}</p>;
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
