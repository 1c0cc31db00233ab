// Package presets has the names of what is known by name: layouts, for bits.ParseLayout, and formats, for
// foreign.ParseFormat.
package presets

// A Layout is the name of a layout of package bits.
type Layout struct {
	Name string
	// Foreign says that the layout is there to read the IDs of another system. It is no choice for new ones.
	Foreign bool
}

// Layouts returns the names of layouts, in the order in which they are shown.
func Layouts() []Layout {
	return []Layout{
		{Name: "default"},
		{Name: "uidgenerator", Foreign: true},
		{Name: "uidgenerator-readme", Foreign: true},
		{Name: "twitter"},
		{Name: "javascript"},
		{Name: "redis"},
		{Name: "discord", Foreign: true},
		{Name: "instagram", Foreign: true},
		{Name: "yitter", Foreign: true},
	}
}

// Formats returns the names of formats of package foreign.
func Formats() []string { return []string{"sonyflake", "sonyflake2", "uidgenerator"} }
