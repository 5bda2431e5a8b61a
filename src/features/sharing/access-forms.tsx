import type { ComponentChildren, JSX } from 'preact';
import type { Faults } from '../../surfaces/web/form.ts';
import { FormFault, Notes } from '../../surfaces/web/pages/form-field.tsx';
import { Day } from '../../surfaces/web/pages/format.tsx';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { ButtonForm, CopyButton, HiddenFields } from '../../surfaces/web/pages/parts.tsx';
import { Avatar, PersonName } from '../../surfaces/web/pages/person.tsx';

const MAX_EMAIL_LENGTH = 254;

/** Labels by value, in the order of the menu. */
export type Options = Readonly<Record<string, string>>;

/** Renders a row for a user: the name, some facts, and actions. */
export function UserRow(props: {
  username: string;
  isViewer?: boolean;
  facts?: ComponentChildren;
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <li class="item person">
      <Avatar username={props.username} />
      <div class="item-main">
        <span class="item-title">
          <PersonName username={props.username} />
          {props.isViewer && <span class="aside"> (you)</span>}
        </span>
        {props.facts && <p class="item-facts">{props.facts}</p>}
      </div>
      <div class="item-end">{props.children}</div>
    </li>
  );
}

/** Renders a row for an email address that has a pending invitation. */
export function AddressRow(props: {
  email: string;
  expiresAt: string;
  isExpired: boolean;
  /** The permission or the role. */
  level: string;
  /** The link to pass on; `null` if it was mailed. */
  url: string | null;
  /** The action and fields of the form that cancels the invitation. */
  cancel: { action: string; fields: Readonly<Record<string, string>> };
}): JSX.Element {
  const { email, expiresAt, isExpired, level, url, cancel } = props;
  return (
    <li class="item person">
      <span class="avatar">
        <Icon name="mail" />
      </span>
      <div class="item-main">
        <span class="item-title">{email}</span>
        <p class="item-facts">
          <span class={isExpired ? 'expired' : undefined}>
            {isExpired ? 'Expired' : 'Expires'} <Day at={expiresAt} />
          </span>
          {url !== null && !isExpired && <span>Not mailed: copy the link and send it</span>}
        </p>
      </div>
      <div class="item-end">
        <span class="role">{level}</span>
        {url !== null && !isExpired && (
          <CopyButton text={url} name={`Copy the invitation for ${email}`} />
        )}
        <ButtonForm
          action={cancel.action}
          fields={cancel.fields}
          label="Cancel"
          name={`Cancel the invitation for ${email}`}
          class="quiet"
        />
      </div>
    </li>
  );
}

/** Renders a menu in a form. With scripts, choosing submits it; without, its button does. */
export function MenuForm(props: {
  action: string;
  fields: Readonly<Record<string, string>>;
  name: string;
  /** The name for screen readers. */
  label: string;
  options: Options;
  value: string;
}): JSX.Element {
  return (
    <form class="menu-form" method="post" action={props.action} data-submits-itself>
      {Object.entries(props.fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {/* Without autocomplete="off", browsers restore an earlier choice on reload. */}
      <select name={props.name} aria-label={props.label} autocomplete="off">
        <OptionList options={props.options} value={props.value} />
      </select>
      <button type="submit" class="secondary" aria-label={`Save: ${props.label}`}>
        Save
      </button>
    </form>
  );
}

/** Renders a form that invites by username, with suggestions while typing, or by email address. */
export function InviteForm(props: {
  action: string;
  /** Other fields to send. */
  fields?: Readonly<Record<string, string>>;
  /** The prefix of the fields' ids. */
  id: string;
  menu: { name: string; label: string; options: Options; value: string };
  username: string;
  faults: Faults;
}): JSX.Element {
  const { id, menu, faults } = props;
  const fault = faults.username;
  return (
    <form class="invite-form" method="post" action={props.action}>
      <HiddenFields fields={props.fields} />
      <FormFault fault={faults.form ?? faults[menu.name]} />
      <div class="form-row">
        <div class="field username-field">
          <label for={`${id}-username`}>Invite by username or email address</label>
          <input
            type="text"
            id={`${id}-username`}
            name="username"
            value={props.username}
            required
            maxLength={MAX_EMAIL_LENGTH}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            autofocus={fault !== undefined}
            aria-invalid={fault ? 'true' : undefined}
            aria-describedby={fault ? `${id}-fault` : undefined}
            data-completes="usernames"
          />
        </div>
        <div class="field menu-field">
          <label for={`${id}-${menu.name}`}>{menu.label}</label>
          <select id={`${id}-${menu.name}`} name={menu.name} autocomplete="off">
            <OptionList options={menu.options} value={menu.value} />
          </select>
        </div>
        <button type="submit" class="primary">
          Invite
        </button>
      </div>
      <Notes id={id} fault={fault} />
    </form>
  );
}

/** Renders a radio button with a hint. */
export function Choice(props: {
  name: string;
  value: string;
  id: string;
  label: ComponentChildren;
  hint: string;
  isChosen: boolean;
}): JSX.Element {
  return (
    <div class="choice">
      <input
        type="radio"
        name={props.name}
        value={props.value}
        id={props.id}
        checked={props.isChosen}
        autocomplete="off"
        aria-describedby={`${props.id}-hint`}
      />
      <label for={props.id}>{props.label}</label>
      <p class="hint" id={`${props.id}-hint`}>
        {props.hint}
      </p>
    </div>
  );
}

/** Renders a radio button for each option. */
export function Choices(props: {
  name: string;
  /** The prefix of their ids. Default: the name. */
  id?: string;
  options: Readonly<Record<string, { label: string; hint: string }>>;
  chosen: string;
}): JSX.Element {
  const { name, id = name, options, chosen } = props;
  return (
    <>
      {Object.entries(options).map(([value, words]) => (
        <Choice
          name={name}
          value={value}
          id={`${id}-${value}`}
          {...words}
          isChosen={value === chosen}
        />
      ))}
    </>
  );
}

/** Renders a form with one choice. A script submits it when another option is chosen. */
export function ChoicesForm(props: {
  action: string;
  legend: string;
  button: string;
  /** The current choice, if the form sends it. */
  from?: string;
  /** Other fields to send. */
  fields?: Readonly<Record<string, string>>;
  children: ComponentChildren;
}): JSX.Element {
  const { action, legend, button, from, fields, children } = props;
  return (
    <form class="form choices-form" method="post" action={action} data-submits-itself>
      {from !== undefined && <input type="hidden" name="from" value={from} />}
      <HiddenFields fields={fields} />
      <fieldset class="choices">
        <legend>{legend}</legend>
        {children}
      </fieldset>
      <div>
        <button type="submit" class="secondary">
          {button}
        </button>
      </div>
    </form>
  );
}

function OptionList({ options, value }: { options: Options; value: string }): JSX.Element {
  return (
    <>
      {Object.entries(options).map(([option, label]) => (
        <option value={option} selected={option === value}>
          {label}
        </option>
      ))}
    </>
  );
}
