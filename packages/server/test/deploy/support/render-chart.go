// Renders the chart with Go's own text/template, as Helm does. The functions that Helm adds are written
// here, as far as the chart uses them. Standard input: {"folder": …, "data": …}. Standard output: the text
// of each template, by its path.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"
)

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func empty(value any) bool {
	truth, ok := template.IsTrue(value)
	return !ok || !truth
}

func scalar(value any) string {
	text, err := json.Marshal(value)
	fail(err)
	return string(text)
}

// Block YAML, for JSON values.
func yamlOf(value any, indent string) string {
	switch value := value.(type) {
	case map[string]any:
		if len(value) == 0 {
			return " {}\n"
		}
		names := make([]string, 0, len(value))
		for name := range value {
			names = append(names, name)
		}
		sort.Strings(names)
		text := "\n"
		for _, name := range names {
			text += indent + scalar(name) + ":" + yamlOf(value[name], indent+"  ")
		}
		return text
	case []any:
		if len(value) == 0 {
			return " []\n"
		}
		text := "\n"
		for _, item := range value {
			text += indent + "-" + yamlOf(item, indent+"  ")
		}
		return text
	default:
		return " " + scalar(value) + "\n"
	}
}

func main() {
	var input struct {
		Folder string
		Data   map[string]any
	}
	fail(json.NewDecoder(os.Stdin).Decode(&input))
	all := template.New("").Option("missingkey=zero")
	indent := func(count int, text string) string {
		space := strings.Repeat(" ", count)
		return space + strings.ReplaceAll(text, "\n", "\n"+space)
	}
	all.Funcs(template.FuncMap{
		"include": func(name string, data any) (string, error) {
			var text bytes.Buffer
			err := all.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
		"toYaml": func(value any) string { return strings.TrimSpace(yamlOf(value, "")) },
		"required": func(message string, value any) (any, error) {
			if value == nil || value == "" {
				return nil, fmt.Errorf("%s", message)
			}
			return value, nil
		},
		"default": func(fallback, value any) any {
			if empty(value) {
				return fallback
			}
			return value
		},
		"quote": func(value any) string {
			if value == nil {
				return ""
			}
			return fmt.Sprintf("%q", fmt.Sprint(value))
		},
		"int": func(value any) int { return int(value.(float64)) },
		"trunc": func(length int, text string) string {
			if len(text) > length {
				return text[:length]
			}
			return text
		},
		"trimSuffix": func(suffix, text string) string { return strings.TrimSuffix(text, suffix) },
		"contains":   func(part, text string) bool { return strings.Contains(text, part) },
		"replace":    func(from, to, text string) string { return strings.ReplaceAll(text, from, to) },
		"nindent":    func(count int, text string) string { return "\n" + indent(count, text) },
		"dict": func(pairs ...any) map[string]any {
			made := map[string]any{}
			for place := 0; place < len(pairs); place += 2 {
				made[pairs[place].(string)] = pairs[place+1]
			}
			return made
		},
	})
	paths, err := filepath.Glob(filepath.Join(input.Folder, "templates", "*"))
	fail(err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		fail(err)
		_, err = all.New("templates/" + filepath.Base(path)).Parse(string(text))
		fail(err)
	}
	rendered := map[string]string{}
	for _, path := range paths {
		name := "templates/" + filepath.Base(path)
		if strings.HasSuffix(name, ".tpl") {
			continue
		}
		var text bytes.Buffer
		fail(all.ExecuteTemplate(&text, name, input.Data))
		rendered[name] = text.String()
	}
	fail(json.NewEncoder(os.Stdout).Encode(rendered))
}
