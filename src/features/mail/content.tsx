import type { JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Topic } from '../../base/schema/mail.ts';
import { shorten } from '../../base/text/shorten.ts';

/** The content of a mail. */
export interface Composed {
  subject: string;
  items: readonly Item[];
  /** Why the recipient gets it. */
  reason: string;
  /** The topics that its unsubscribe link turns off. */
  topics: readonly Topic[];
  /** Ids of what it is about, the most specific last. */
  threads: readonly string[];
  /** The owner and name of the document that it is about, for people's filters. */
  list?: string;
  /** The position of the last event that a digest reports. */
  position?: number;
}

/** The content of a mail's text. */
export interface Content extends Pick<Composed, 'subject' | 'items' | 'reason'> {
  /** The mail settings in the app; absent in mails that no setting is about. */
  settingsUrl?: string;
  /** Absent in mails that verify an address, and in those about the security of an account. */
  unsubscribeUrl?: string;
}

export interface Item {
  /** What happened, as a sentence. */
  says: string;
  /** The passage that a comment is about. */
  passage?: string | undefined;
  /** The text that someone wrote. */
  quote?: string | undefined;
  link?: { label: string; url: string };
}

/** The longest quote to include, in UTF-16 code units. */
const MAX_QUOTED = 1_000;

/** Cuts a text to {@link MAX_QUOTED}. */
export function cut(text: string): string {
  return shorten(text, MAX_QUOTED);
}

/** Puts a text on one line, for a header: control characters and line breaks become spaces. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}

/** Formats a mail as plain text. */
export function toText({ items, reason, settingsUrl, unsubscribeUrl }: Content): string {
  const blocks = items.map(({ says, passage, quote, link }) =>
    [
      says,
      ...(passage ? [`On this passage:\n${quoted(passage)}`] : []),
      ...(quote ? [quoted(quote)] : []),
      ...(link ? [`${link.label}: ${link.url}`] : []),
    ].join('\n\n'),
  );
  const choose = settingsUrl && `Change your email settings: ${settingsUrl}\n`;
  const stop = unsubscribeUrl && `${choose ?? ''}Unsubscribe: ${unsubscribeUrl}\n`;
  const foot = `${reason}\n${stop ?? ''}`;
  return [...blocks, `-- \n${foot}`].join('\n\n');
}

function quoted(text: string): string {
  return text.replace(/^/gm, '> ');
}

const STYLE = {
  body: 'margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif;color:#1c1c1c;background:#fff',
  passage:
    'margin:8px 0;padding:0 12px;border-left:3px solid #c9c9c9;color:#555;white-space:pre-wrap',
  quote: 'margin:8px 0;padding:8px 12px;background:#f3f3f1;border-radius:6px;white-space:pre-wrap',
  foot: 'margin-top:32px;padding-top:12px;border-top:1px solid #ddd;font-size:13px;color:#666',
} as const;

/** Formats a mail as HTML, which loads nothing. */
export function toHtml(content: Content): string {
  const { subject, items, reason, settingsUrl, unsubscribeUrl } = content;
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>{subject}</title>
      </head>
      <body style={STYLE.body}>
        {items.map((item) => (
          <ItemBlock item={item} />
        ))}
        <p style={STYLE.foot}>
          {reason}
          {unsubscribeUrl && (
            <>
              {' '}
              {settingsUrl ? (
                <>
                  <a href={settingsUrl}>Choose what is mailed to you</a> or{' '}
                  <a href={unsubscribeUrl}>unsubscribe</a>.
                </>
              ) : (
                <a href={unsubscribeUrl}>Stop invitations</a>
              )}
            </>
          )}
        </p>
      </body>
    </html>
  );
  return `<!doctype html>${renderToString(page)}`;
}

function ItemBlock({ item: { says, passage, quote, link } }: { item: Item }): JSX.Element {
  return (
    <div style="margin-bottom:24px">
      <p style="margin:0">{says}</p>
      {passage && (
        <blockquote dir="auto" style={STYLE.passage}>
          {passage}
        </blockquote>
      )}
      {quote && (
        <div dir="auto" style={STYLE.quote}>
          {quote}
        </div>
      )}
      {link && (
        <p style="margin:8px 0">
          <a href={link.url}>{link.label}</a>
        </p>
      )}
    </div>
  );
}
