import { useId } from "react";
import { useErrorText } from "#/api/error-text";
import { Notice } from "#/shared/ui/notice";
import { Switch } from "#/shared/ui/toggle";
import { SettingRow } from "./setting-row";
import { useSaveSettings } from "./use-save-settings";

/** Saves on change; shows the new value while saving and the old one after a refusal. */
export function SettingSwitch({
  label,
  name,
  on,
  texts,
}: {
  label: string;
  name: "autoApplyUpdates" | "earlierWarnings";
  on: boolean;
  /** What each position means. */
  texts: { on: string; off: string };
}) {
  const errorText = useErrorText();
  const id = useId();
  const save = useSaveSettings();
  const shown = save.isPending ? (save.variables[name] ?? on) : on;
  return (
    <SettingRow
      label={<label htmlFor={id}>{label}</label>}
      text={shown ? texts.on : texts.off}
      textId={`${id}-text`}
      control={
        <Switch
          id={id}
          aria-describedby={`${id}-text`}
          aria-busy={save.isPending || undefined}
          checked={shown}
          onChange={(event) => {
            if (!save.isPending) save.mutate({ [name]: event.target.checked });
          }}
        />
      }
    >
      {/* A toast announces it. */}
      {save.error && (
        <Notice tone="danger" announced={false}>
          {errorText(save.error)}
        </Notice>
      )}
    </SettingRow>
  );
}
