import { SearchX } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";

/** The empty state: first the operator password, then the first operator. */
export function NoOperators({
  passwordSet,
  addBlocked,
  onSetPassword,
  onAdd,
}: {
  passwordSet: boolean;
  addBlocked: string | undefined;
  onSetPassword: () => void;
  onAdd: () => void;
}) {
  const { t } = useTranslation();
  if (!passwordSet) {
    return (
      <Empty
        drawing="people"
        title={t("operators.empty.title")}
        description={t("operators.empty.passwordFirst")}
        action={
          <Button variant="primary" onClick={onSetPassword}>
            {t("operators.empty.setPassword")}
          </Button>
        }
      />
    );
  }
  return (
    <Empty
      drawing="people"
      title={t("operators.empty.title")}
      description={t("operators.empty.text")}
      action={
        <Button variant="primary" disabledReason={addBlocked} onClick={onAdd}>
          {t("operators.form.add")}
        </Button>
      }
    />
  );
}

export function NoMatch({ onClear }: { onClear: () => void }) {
  const { t } = useTranslation();
  return (
    <Empty
      icon={<SearchX aria-hidden />}
      title={t("operators.noMatch.title")}
      description={t("operators.noMatch.text")}
      action={<Button onClick={onClear}>{t("operators.noMatch.clear")}</Button>}
    />
  );
}
