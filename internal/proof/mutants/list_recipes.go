package main

const (
	recipeServiceIn    = "./recipes/service"
	recipeGormGo       = "recipes/gorm/keys.go"
	recipeEntGo        = "recipes/ent/keys.go"
	recipeServiceGo    = "recipes/service/main.go"
	recipeDeployment   = "recipes/kubernetes/deployment.yaml"
	recipeStatefulSet  = "recipes/kubernetes/statefulset.yaml"
	recipeReadmeGo     = "internal/proof/modules/readme.go"
	recipeCronManifest = "recipes/kubernetes/cronjob.yaml"
)

// recipes are faults of the programs to copy from, and of their manifests.
var recipes = []mutant{
	{
		name: "recipe gorm: only the first of a batch gets a key", file: recipeGormGo,
		from: "for i := range rows.Len() {",
		to:   "for i := range min(1, rows.Len()) {", tests: "^TestKeys$",
	},
	{
		name: "recipe gorm: maps get no key", file: recipeGormGo,
		from: "if !ok || columns == nil {",
		to:   "if ok || columns == nil {", tests: "^TestKeys$",
	},
	{
		name: "recipe gorm: a zero in a map is a key", file: recipeGormGo,
		from: "found && value != nil && !reflect.ValueOf(value).IsZero()",
		to:   "found && value != nil", tests: "^TestKeys$",
	},
	{
		name: "recipe gorm: a key of the program's own is replaced", file: recipeGormGo,
		from: "key.ValueOf(ctx, row); !zero {",
		to:   "key.ValueOf(ctx, row); !zero && false {", tests: "^TestOwnKeysStay$",
	},
	{
		name: "recipe gorm: a model may have AUTO_INCREMENT", file: recipeGormGo,
		from: "if key.AutoIncrement {",
		to:   "if false {", tests: "^TestTheTagIsNeeded$",
	},
	{
		name: "recipe gorm: a row without a UID is created", file: recipeGormGo,
		from: "if err := k.fill(s, key); err != nil {",
		to:   "if err := k.fill(s, key); err != nil && false {", tests: "^TestNoUIDNoRow$",
	},
	{
		name: "recipe ent: a zero is a key", file: recipeEntGo,
		from: "!set || id == 0",
		to:   "!set || id < 0", tests: "^TestKeys$",
	},
	{
		name: "recipe ent: a row without a UID is created", file: recipeEntGo,
		from: "return nil, err",
		to:   "u = 1", tests: "^TestNoUIDNoRow$",
	},
	{
		name: "recipe service: it is ready before it can issue", file: recipeServiceGo,
		from: "http.Error(w, \"no UIDs\", http.StatusServiceUnavailable)",
		to:   "fmt.Fprintln(w, \"ready\")", in: recipeServiceIn, tests: "^TestDeployment$",
	},
	{
		name: "recipe service: the worker ID is kept at the end", file: recipeServiceGo,
		from: "within(closing, uids.CloseContext)",
		to:   "error(nil)", in: recipeServiceIn, tests: "^TestDeployment$",
	},
	{
		name: "recipe service: the generator ends before the requests", file: recipeServiceGo,
		from: "s.draining.Store(true)",
		to:   "s.draining.Store(true); _ = uids.Close()", in: recipeServiceIn, tests: "^TestStatefulSet$",
	},
	{
		name: "recipe manifest: the probe asks for another path", file: recipeDeployment,
		from: "{path: /readyz, port: http}",
		to:   "{path: /ready, port: http}", in: recipeServiceIn, tests: "^TestDeployment$",
	},
	{
		name: "recipe manifest: the grace period is too short", file: recipeDeployment,
		from: "terminationGracePeriodSeconds: 45",
		to:   "terminationGracePeriodSeconds: 30", tests: "^TestDeploymentManifest$",
	},
	{
		name: "recipe manifest: a field that Kubernetes does not know", file: recipeDeployment,
		from: "readOnlyRootFilesystem: true",
		to:   "readOnlyRootFilesystem: true\n            readOnlyRootFileSystems: true", tests: "^TestDeploymentManifest$",
	},
	{
		name: "recipe manifest: the state file is not on the volume", file: recipeStatefulSet,
		from: "mountPath: /var/lib/uid}",
		to:   "mountPath: /var/lib/uids}", tests: "^TestStatefulSetManifest$",
	},
	{
		name: "recipe manifest: a variable that the service does not read", file: recipeStatefulSet,
		from: "name: UID_DRAIN,",
		to:   "name: UID_DRAINING,", tests: "^TestServiceVariables$",
	},
	{
		name: "recipe manifest: two runs of the job at once", file: recipeCronManifest,
		from: "concurrencyPolicy: Forbid",
		to:   "concurrencyPolicy: Allow", tests: "^TestCronJobManifest$",
	},
	{
		name: "readme: a program need not say what it prints", file: recipeReadmeGo,
		from: "len(prints) != 1 || prints[0][1] == \"\"",
		to:   "len(prints) == 0", tests: "^TestPrograms$",
	},
	{
		name: "readme: what else a program prints goes unnoticed", file: recipeReadmeGo,
		from: "digits.ReplaceAllString(example, \"0\")+\"\\n\" == digits.ReplaceAllString(text, \"0\")",
		to:   "strings.HasPrefix(digits.ReplaceAllString(text, \"0\"), digits.ReplaceAllString(example, \"0\"))", tests: "^TestAlike$",
	},
	{
		name: "readme: any number is a new UID", file: recipeReadmeGo,
		from: "parts.Time.Before(since.Truncate(time.Second)) || ahead > 10*time.Minute",
		to:   "ahead > 10*time.Minute && since.IsZero()", tests: "^TestFresh$",
	},
}
