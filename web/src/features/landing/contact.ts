import * as v from "valibot";
import { contactSchema, type ContactValues } from "#/shared/contact/contact-schema";
import { openContactMail } from "#/shared/contact/mail";
import { fillTemplate } from "./fill-template";

const names = ["name", "email", "subject", "message"] as const;
type Name = (typeof names)[number];

/** Validates the contact form and prepares the email; `complain` shows a missing field. */
export function startContact(
  root: HTMLElement,
  { complain, signal }: { complain: (title: string, text: string) => void; signal: AbortSignal },
): void {
  const form = root.querySelector<HTMLFormElement>("[data-contact]");
  const status = form?.querySelector("[data-contact-status]");
  if (!form || !status) throw new Error("the landing page has no contact form");
  const texts: Record<string, string | undefined> = {
    "contact.required": form.dataset.required,
    "contact.emailInvalid": form.dataset.emailInvalid,
  };
  let submitted = false;

  const showError = (name: Name, message: string | undefined) => {
    const field = fieldOf(form, name);
    const errorId = `${field.id}-error`;
    document.getElementById(errorId)?.remove();
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
    if (message === undefined) return;
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", errorId);
    const note = fillTemplate(form, "field-error", { error: texts[message] ?? message });
    const line = note.firstElementChild;
    if (line) line.id = errorId;
    field.after(note);
  };

  form.addEventListener(
    "submit",
    (event) => {
      event.preventDefault();
      submitted = true;
      const values = valuesOf(form);
      const errors = errorsOf(values);
      for (const name of names) showError(name, errors[name]);
      const firstBad = names.find((name) => errors[name] !== undefined);
      if (firstBad === undefined) {
        status.replaceChildren(fillTemplate(form, "handed-over"));
        openContactMail(values);
        return;
      }
      fieldOf(form, firstBad).focus();
      const isMissing = names.some((name) => values[name].trim() === "");
      status.querySelector("[role=alert]")?.remove();
      if (!isMissing) return;
      status.append(fillTemplate(form, "missing"));
      complain(form.dataset.missing ?? "", form.dataset.missingText ?? "");
    },
    { signal },
  );
  form.addEventListener(
    "input",
    ({ target }) => {
      if (!submitted) return;
      const errors = errorsOf(valuesOf(form));
      for (const name of names) {
        if (fieldOf(form, name) === target) showError(name, errors[name]);
      }
      if (Object.keys(errors).length === 0) status.querySelector("[role=alert]")?.remove();
    },
    { signal },
  );
}

function errorsOf(values: ContactValues): Partial<Record<Name, string>> {
  const { issues } = v.safeParse(contactSchema, values);
  const { nested = {} } = issues ? v.flatten<typeof contactSchema>(issues) : {};
  const errors: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const [message] = nested[name] ?? [];
    if (message !== undefined) errors[name] = message;
  }
  return errors;
}

function valuesOf(form: HTMLFormElement): ContactValues {
  const [name, email, subject, message] = names.map((each) => fieldOf(form, each).value);
  return { name: name ?? "", email: email ?? "", subject: subject ?? "", message: message ?? "" };
}

function fieldOf(form: HTMLFormElement, name: Name): HTMLInputElement | HTMLTextAreaElement {
  const field = form.elements.namedItem(name);
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) return field;
  throw new Error(`the contact form has no ${name}`);
}
