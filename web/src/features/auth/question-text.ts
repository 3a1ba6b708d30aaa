import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { key, type TextKey } from "#/i18n/key";

/** The server identifies its questions by their English text. */
const textByQuestion: Partial<Record<string, TextKey>> = {
  "What was the name of your first pet?": key("questions.firstPet"),
  "What was the make of your first vehicle?": key("questions.firstVehicle"),
  "In what city were you born?": key("questions.birthCity"),
  "What was the name of your elementary school?": key("questions.elementarySchool"),
  "What is your mother's maiden name?": key("questions.mothersMaidenName"),
  "What was the name of the street you grew up on?": key("questions.childhoodStreet"),
  "What was your childhood nickname?": key("questions.childhoodNickname"),
  "What was the first machine you learned to operate?": key("questions.firstMachine"),
  "What was the name of your first employer?": key("questions.firstEmployer"),
  "In what city did your parents meet?": key("questions.parentsMet"),
  "What was the first concert you went to?": key("questions.firstConcert"),
  "What is the middle name of your oldest sibling?": key("questions.siblingMiddleName"),
};

/** A question in the current language; a question unknown to this version is shown as received. */
export function useQuestionText(): (question: string) => string {
  const { t } = useTranslation();
  return useCallback(
    (question) => {
      const textKey = textByQuestion[question];
      return textKey ? t(textKey) : question;
    },
    [t],
  );
}
