import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useForm, type DefaultValues, type FieldPath, type UseFormReturn } from "react-hook-form";
import type { GenericSchema } from "valibot";
import { fieldMessage } from "#/api/error-text";
import { toFailure } from "#/api/errors";

/**
 * A form whose values mirror the screen; they are mapped to a request on submit. Messages in the
 * schema are text keys, see `key()`.
 */
export function useAppForm<Values extends Record<string, unknown>>(
  schema: GenericSchema<Values>,
  defaultValues: DefaultValues<Values>,
): UseFormReturn<Values> {
  return useForm<Values>({
    resolver: standardSchemaResolver(schema),
    defaultValues,
    mode: "onSubmit",
    reValidateMode: "onChange",
  });
}

/** Sets the server's field errors and focuses the first one. */
export function showFieldErrors<Values extends Record<string, unknown>>(
  form: UseFormReturn<Values>,
  error: unknown,
  fields: ReadonlyArray<FieldPath<Values>>,
): boolean {
  const refused = toFailure(error).fields;
  let first = true;
  for (const name of fields) {
    const sentence = refused[name];
    if (!sentence) continue;
    const message = fieldMessage(sentence);
    form.setError(name, { type: "server", message }, { shouldFocus: first });
    first = false;
  }
  return !first;
}
