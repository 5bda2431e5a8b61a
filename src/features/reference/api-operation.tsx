import type { ComponentChildren, JSX } from 'preact';
import { curlFor } from './curl.ts';
import { type ListedOperation, nameOf } from './listed-operation.ts';
import { type MediaType, type OpenApi, type Parameter, type Response, resolve } from './openapi.ts';
import { exampleOfMedia } from './openapi-examples.ts';
import { type Field, fieldsOf, limitsOf, typeOf } from './openapi-fields.ts';

interface Props {
  document: OpenApi;
  baseUrl: string;
  listed: ListedOperation;
  /** The statuses that are shown once, for all operations. */
  shared: readonly string[];
}

/** Renders an operation: its parameters and responses on the left, an example on the right. */
export function ApiOperation({ document, baseUrl, listed, shared }: Props): JSX.Element {
  const { id, method, path, operation, parameters } = listed;
  const body = operation.requestBody && resolve(document, operation.requestBody);
  const [bodyType, bodyMedia] = Object.entries(body?.content ?? {})[0] ?? [];
  const responses = responsesOf(document, listed);
  const answer = exampleAnswer(document, responses);
  const scopes = (operation.security ?? []).flatMap((scheme) => Object.values(scheme).flat());
  return (
    <article class="operation" aria-labelledby={id}>
      <div class="operation-text">
        <h3 id={id}>
          <a href={`#${id}`}>{nameOf(listed)}</a>
        </h3>
        <p class="route">
          <code class="method">{method.toUpperCase()}</code> <code>{path}</code>
        </p>
        {operation.description && <p>{operation.description}</p>}
        {scopes.length > 0 && (
          <p class="permission">
            Scope: <code>{scopes.join(' ')}</code>
          </p>
        )}
        {operation['x-permission'] && <p class="permission">Needs: {operation['x-permission']}</p>}
        <Parameters document={document} title="Path" parameters={parameters} of="path" />
        <Parameters document={document} title="Query" parameters={parameters} of="query" />
        <Parameters document={document} title="Headers" parameters={parameters} of="header" />
        {bodyMedia?.schema && (
          <Part title="Body" note={bodyType}>
            <Fields document={document} fields={fieldsOf(document, bodyMedia.schema)} needs />
          </Part>
        )}
        <Part title="Responses">
          <Responses
            document={document}
            responses={responses.filter(([status]) => !shared.includes(status))}
          />
        </Part>
      </div>
      <div class="operation-example">
        <Example title="Request">
          {curlFor(document, baseUrl, path, method, operation, parameters)}
        </Example>
        {answer && <Example title={`Response ${answer.status}`}>{answer.text}</Example>}
      </div>
    </article>
  );
}

function Part({
  title,
  note,
  children,
}: {
  title: string;
  note?: string | undefined;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <>
      <h4>
        {title} {note && <span class="note">{note}</span>}
      </h4>
      {children}
    </>
  );
}

interface ParametersProps {
  document: OpenApi;
  title: string;
  parameters: Parameter[];
  of: string;
}

function Parameters({ document, title, parameters, of }: ParametersProps): JSX.Element | null {
  const fields = parameters
    .filter((parameter) => parameter.in === of)
    .map(({ name, required = false, schema = {}, description = schema.description }) => ({
      path: name,
      required,
      schema: description === undefined ? schema : { ...schema, description },
    }));
  if (fields.length === 0) return null;
  return (
    <Part title={title}>
      <Fields document={document} fields={fields} needs={of !== 'path'} />
    </Part>
  );
}

interface FieldsProps {
  document: OpenApi;
  fields: Field[];
  /** Whether to mark fields as required or optional: for requests, not for responses. */
  needs?: boolean;
}

function Fields({ document, fields, needs = false }: FieldsProps): JSX.Element {
  return (
    <dl class="fields">
      {fields.map(({ path, required, schema }) => (
        <div>
          <dt>
            <code>{path}</code>{' '}
            {needs && (
              <span class={required ? 'required' : 'note'}>
                {required ? 'required' : 'optional'}
              </span>
            )}
          </dt>
          <dd>
            <span class="type">{typeOf(document, schema)}</span>
            {limitsOf(schema).map((limit) => (
              <span class="limit">{limit}</span>
            ))}
            {schema.description && <p>{schema.description}</p>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

type StatusAndResponse = readonly [status: string, response: Response];

/** Lists the responses of an operation. */
export function responsesOf(document: OpenApi, { operation }: ListedOperation) {
  return Object.entries(operation.responses ?? {}).map(
    ([status, response]): StatusAndResponse => [status, resolve<Response>(document, response)],
  );
}

/** Shows responses with their fields. */
export function Responses({
  document,
  responses,
}: {
  document: OpenApi;
  responses: readonly StatusAndResponse[];
}): JSX.Element {
  return (
    <dl class="responses">
      {responses.map(([status, response]) => (
        <Answer document={document} status={status} response={response} />
      ))}
    </dl>
  );
}

interface AnswerProps {
  document: OpenApi;
  status: string;
  response: Response;
}

function Answer({ document, status, response }: AnswerProps): JSX.Element {
  const media = Object.values(response.content ?? {})[0];
  const succeeds = status.startsWith('2');
  const fields = succeeds && media?.schema ? fieldsOf(document, media.schema) : [];
  return (
    <div>
      <dt>
        <code>{status}</code>
      </dt>
      <dd>
        {response.description}
        {fields.length > 0 && (
          <details>
            <summary>{fields.length === 1 ? '1 field' : `${fields.length} fields`}</summary>
            <Fields document={document} fields={fields} />
          </details>
        )}
      </dd>
    </div>
  );
}

function Example({ title, children }: { title: string; children: string }): JSX.Element {
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <pre>
        <code>{children}</code>
      </pre>
    </figure>
  );
}

/** Returns an example of the first successful response. */
function exampleAnswer(document: OpenApi, responses: readonly StatusAndResponse[]) {
  const [status, response] = responses.find(([code]) => code.startsWith('2')) ?? [];
  const media: MediaType | undefined = Object.values(response?.content ?? {})[0];
  const example = media && exampleOfMedia(document, media);
  if (status === undefined || example === undefined) return undefined;
  return {
    status,
    text: typeof example === 'string' ? example : JSON.stringify(example, null, 2),
  };
}
